/* Rounds of blackjack in plain C, the yardstick of its play-through; built by benchmarks/bench_play.py.
 *
 * The dealer draws to soft seventeen and has no hole card, any two cards are doubled, pairs become four hands and aces
 * two of one card each; a card by totals decides. As many cards are shuffled as a round looks at.
 */
#include "draws.h"

static int best(int low, int ace) { return ace && low <= 11 ? low + 10 : low; }

/* Plays rounds; returns their net results in half stakes, and the sum of the squares of those.
 * Cards count 1 to 10; lines say by softness, total and open card: 0 stand, 1 hit, 2 double or hit, 3 double or stand. */
int64_t blackjack(uint8_t *cards, int64_t size, const int8_t lines[2][22][11], const int8_t splits[11][11], int64_t rounds,
                  uint64_t seed, int64_t *squares)
{
    shoe_t shoe = {cards, (int)size, 0, seed};
    int64_t sum = 0;
    *squares = 0;
    while (rounds--) {
        shoe.at = 0;
        int first = draw(&shoe), up = draw(&shoe), second = draw(&shoe);
        int waiting[4] = {first}, left = 1, hands = 1, total[4], stake[4], ended = 0, staked = 0, live = 0, net = 0;
        int natural = first != second && first + second == 11 && (first == 1 || second == 1);
        while (!natural && left) {
            int card = waiting[--left], other = hands > 1 ? draw(&shoe) : second;
            while (card == other && splits[card][up] && hands < (card == 1 ? 2 : 4)) {
                hands++;
                waiting[left++] = card;
                other = draw(&shoe);
            }
            int low = card + other, ace = card == 1 || other == 1, held = 2, bet = 1;
            while (best(low, ace) < 21 && !(hands > 1 && card == 1)) {
                int play = lines[ace && low <= 11][best(low, ace)][up];
                if (play == 0 || (play == 3 && held > 2)) break;
                int more = draw(&shoe), doubles = play > 1 && held == 2;
                low += more, ace |= more == 1, held++;
                if (doubles) { bet = 2; break; }
            }
            staked += bet;
            if (low > 21) net -= 2 * bet;
            else total[ended] = best(low, ace), stake[ended++] = bet, live = 1;
        }
        int hole = live || natural || up == 1 || up == 10 ? draw(&shoe) : 0;
        int low = up + hole, ace = up == 1 || hole == 1, dealer = low == 11 && ace && hole;
        if (natural) net = dealer ? 0 : 3;
        else if (dealer) net = -2 * staked;
        else if (live) {
            while (best(low, ace) < 17 || (best(low, ace) == 17 && ace && low <= 11)) {
                int more = draw(&shoe);
                low += more, ace |= more == 1;
            }
            int end = low > 21 ? 0 : best(low, ace);
            for (int hand = 0; hand < ended; hand++) net += 2 * stake[hand] * ((total[hand] > end) - (total[hand] < end));
        }
        sum += net;
        *squares += (int64_t)net * net;
    }
    return sum;
}

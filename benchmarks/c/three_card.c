/* Rounds of three card poker in plain C, the yardstick of its play-through; built by benchmarks/bench_play.py.
 *
 * Queen, six and four or better is played, the dealer qualifies with a queen, and a straight or better earns a bonus. As
 * many cards are shuffled as a round looks at.
 */
#include "draws.h"

enum { HIGH, PAIR, FLUSH, STRAIGHT, THREE, STRAIGHT_FLUSH };

static int strength(const uint8_t *hand)
{
    int a = hand[0] % 13, b = hand[1] % 13, c = hand[2] % 13, swap;
    if (a < b) swap = a, a = b, b = swap;
    if (b < c) swap = b, b = c, c = swap;
    if (a < b) swap = a, a = b, b = swap;
    if (a == b && b == c) return THREE << 12 | a;
    if (a == b) return PAIR << 12 | a << 4 | c;
    if (b == c) return PAIR << 12 | b << 4 | a;
    int suited = hand[0] / 13 == hand[1] / 13 && hand[1] / 13 == hand[2] / 13;
    int run = a == b + 1 && b == c + 1 ? a : a == 12 && b == 1 && c == 0 ? 1 : -1;
    if (run >= 0) return (suited ? STRAIGHT_FLUSH : STRAIGHT) << 12 | run;
    return (suited ? FLUSH : HIGH) << 12 | a << 8 | b << 4 | c;
}

/* Plays rounds; returns their net results in antes, and the sum of the squares of those. Card 0 is a two, 12 an ace. */
int64_t three_card(int64_t rounds, uint64_t seed, int64_t *squares)
{
    static const int BONUS[6] = {0, 0, 0, 1, 4, 5};
    uint8_t cards[52];
    shoe_t shoe = {cards, 52, 0, seed};
    int64_t sum = 0;
    for (int card = 0; card < 52; card++) cards[card] = card;
    *squares = 0;
    while (rounds--) {
        int net = -1;
        for (shoe.at = 0; shoe.at < 3;) draw(&shoe);
        int own = strength(cards);
        if (own >= (10 << 8 | 4 << 4 | 2)) {
            while (shoe.at < 6) draw(&shoe);
            int other = strength(cards + 3);
            net = other < 10 << 8 ? 1 : 2 * ((own > other) - (own < other));
            net += BONUS[own >> 12];
        }
        sum += net;
        *squares += (int64_t)net * net;
    }
    return sum;
}

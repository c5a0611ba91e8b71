/* Rounds of sette e mezzo in plain C, the yardstick of its play-through; built by benchmarks/bench_play.py.
 *
 * One seat and the bank each stand on a total, in half points: 7 1/2 is 15. The matta is worth what serves best, and
 * 7 1/2 of a seven, a face and the matta in two cards is a reale.
 */
#include "draws.h"

enum { FULL = 15, REALE, OVER, MATTA = 36 };

static int total_of(int plain, int matta)
{
    if (!matta) return plain <= FULL ? plain : OVER;
    return plain >= FULL ? OVER : plain & 1 || plain == FULL - 1 ? FULL : FULL - 1;
}

static int play(shoe_t *shoe, int card, int least)
{
    int plain = 0, matta = 0, held = 0, high = 1, total;
    for (;; card = draw(shoe)) {
        matta |= card == MATTA;
        plain += card == MATTA ? 0 : card < 28 ? 2 * (card / 4 + 1) : 1;
        high &= card >= 24;
        held++;
        total = total_of(plain, matta);
        if (total >= least || total >= FULL) return total == FULL && held == 2 && high ? REALE : total;
    }
}

/* Plays rounds; returns their net results in stakes, and the sum of the squares of those. */
int64_t free_bank(int64_t player, int64_t bank, int64_t rounds, uint64_t seed, int64_t *squares)
{
    uint8_t cards[40];
    shoe_t shoe = {cards, 40, 0, seed};
    int64_t sum = 0;
    for (int card = 0; card < 40; card++) cards[card] = card;
    *squares = 0;
    while (rounds--) {
        shoe.at = 0;
        int first = draw(&shoe), shown = draw(&shoe), net = -1;
        int own = play(&shoe, first, (int)player);
        if (own != OVER) {
            int other = play(&shoe, shown, (int)bank), full = other == FULL || other == REALE;
            if (own == REALE) net = other == REALE ? -1 : 2;
            else if (full) net = own == FULL ? -1 : -2;
            else net = own == FULL || other == OVER || other < own ? 1 : -1;
        }
        sum += net;
        *squares += net * net;
    }
    return sum;
}

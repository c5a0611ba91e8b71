/* Rounds of a slot of five reels and four rows in plain C, the yardstick of its play-through; built by
 * benchmarks/bench_play.py.
 *
 * Ways from the left on neighbouring reels, a scatter that starts free games, and wilds that count twice or three times
 * in these, reel by reel. No wild is on the first reel: ways of wilds alone do not begin.
 */
#include "draws.h"

enum { REELS = 5, ROWS = 4, MOST = 16 };

typedef struct {
    int64_t longest, symbols, wild, scatter, sizes[REELS], pays[MOST][REELS + 1];
    int64_t scatters[REELS + 1], games[REELS + 1], again[REELS + 1];
} slot_t;

static int64_t spin(const slot_t *slot, const uint8_t *strips, uint64_t *state, int free, int *seen)
{
    int shown[REELS][MOST] = {0};
    int64_t coins = 0;
    *seen = 0;
    for (int reel = 0; reel < REELS; reel++) {
        int size = (int)slot->sizes[reel], stop = below(state, (uint64_t)size);
        for (int row = 0; row < ROWS; row++, stop = stop + 1 == size ? 0 : stop + 1)
            shown[reel][strips[reel * slot->longest + stop]]++;
        *seen += shown[reel][slot->scatter];
        if (free && shown[reel][slot->wild]) shown[reel][slot->wild] *= 2 + below(state, 2);
    }
    for (int symbol = 0; symbol < slot->symbols; symbol++) {
        int64_t ways = 1, length = 0;
        if (symbol == slot->wild || symbol == slot->scatter) continue;
        for (int more; length < REELS && (more = shown[length][symbol] + shown[length][slot->wild]); length++) ways *= more;
        coins += ways * slot->pays[symbol][length];
    }
    return coins + slot->scatters[*seen];
}

/* Plays rounds with their free games; returns their coins, and the sum of the squares of those. */
int64_t slot_ways(const slot_t *slot, const uint8_t *strips, int64_t rounds, uint64_t state, int64_t *squares)
{
    int64_t sum = 0;
    *squares = 0;
    while (rounds--) {
        int seen;
        int64_t coins = spin(slot, strips, &state, 0, &seen);
        for (int64_t left = slot->games[seen]; left > 0; left--) {
            coins += spin(slot, strips, &state, 1, &seen);
            left += slot->again[seen];
        }
        sum += coins;
        *squares += coins * coins;
    }
    return sum;
}

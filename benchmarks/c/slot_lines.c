/* Rounds of a slot of five reels and three rows in plain C, the yardstick of its play-through; built by
 * benchmarks/bench_play.py. Lines from the left and a scatter that counts anywhere. */
#include "draws.h"

enum { REELS = 5, ROWS = 3, MOST = 16 };

typedef struct {
    int64_t longest, scatter, sizes[REELS], pays[MOST][REELS + 1], scatters[REELS + 1];
} slot_t;

/* Plays rounds; returns their coins, and the sum of the squares of those. */
int64_t slot_lines(const slot_t *slot, const uint8_t *strips, const uint8_t (*lines)[REELS], int64_t count,
                   int64_t rounds, uint64_t state, int64_t *squares)
{
    int64_t sum = 0;
    *squares = 0;
    while (rounds--) {
        uint8_t window[REELS][ROWS];
        int seen = 0;
        for (int reel = 0; reel < REELS; reel++) {
            int size = (int)slot->sizes[reel], stop = below(&state, (uint64_t)size);
            for (int row = 0; row < ROWS; row++, stop = stop + 1 == size ? 0 : stop + 1) {
                window[reel][row] = strips[reel * slot->longest + stop];
                seen += window[reel][row] == slot->scatter;
            }
        }
        int64_t coins = slot->scatters[seen];
        for (int64_t line = 0; line < count; line++) {
            int first = window[0][lines[line][0]], length = 1;
            while (length < REELS && window[length][lines[line][length]] == first) length++;
            coins += slot->pays[first][length];
        }
        sum += coins;
        *squares += coins * coins;
    }
    return sum;
}

/* Base games of a slot of five reels and three rows: lines from the left and a scatter, as one would write it by hand.
 * Build: gcc -O3 -march=native -shared -fPIC -o slot_lines.so slot_lines.c */

#include <stdint.h>

/* Plays rounds from ready stops; returns the coins of all of them, and counts those that win. */
int64_t play(const int32_t *stops, int64_t rounds, const int32_t *strips, const int32_t *sizes, int32_t longest,
             const int32_t *lines, int32_t count, const int64_t *pays, int32_t symbols, int32_t scatter,
             const int64_t *scatters, int64_t *hits) {
    int64_t total = 0, won = 0;
    for (int64_t round = 0; round < rounds; round++) {
        int32_t window[5][3];
        int32_t seen = 0;
        for (int reel = 0; reel < 5; reel++) {
            int32_t stop = stops[5 * round + reel];
            for (int row = 0; row < 3; row++) {
                int32_t symbol = strips[reel * longest + stop];
                window[reel][row] = symbol;
                seen += symbol == scatter;
                stop = stop + 1 == sizes[reel] ? 0 : stop + 1;
            }
        }
        int64_t coins = scatters[seen];
        for (int32_t line = 0; line < count; line++) {
            const int32_t *rows = lines + 5 * line;
            int32_t first = window[0][rows[0]], length = 1;
            while (length < 5 && window[length][rows[length]] == first) length++;
            coins += pays[first * 6 + length];
        }
        total += coins;
        won += coins > 0;
    }
    *hits = won;
    (void)symbols;
    return total;
}

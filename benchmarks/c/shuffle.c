/* Full Fisher-Yates shuffles of 40 cards from a row of 64-bit words, by the byte-consumption rule:
 * the yardstick that the compiled batch form of the package is measured against. */
#include <stddef.h>
#include <stdint.h>

static const int group_size[3] = {11, 12, 16};

/* Returns the decks completed; *used receives the words that they took. */
size_t shuffle_rows(const uint64_t *words, size_t count, uint8_t *decks, size_t rows,
                    const uint64_t *threshold, size_t *used) {
    size_t at = 0, row = 0;
    *used = 0;
    for (; row < rows; row++, decks += 40) {
        for (int i = 0; i < 40; i++) decks[i] = (uint8_t)i;
        int position = 0;
        for (int group = 0; group < 3; group++) {
            uint32_t draw[16];
            uint64_t rest;
            do {
                if (at >= count) return row;
                rest = words[at++];
                uint64_t bound = (uint64_t)(40 - position);
                for (int i = 0; i < group_size[group]; i++, bound--) {
                    unsigned __int128 wide = (unsigned __int128)rest * bound;
                    draw[i] = (uint32_t)(wide >> 64);
                    rest = (uint64_t)wide;
                }
            } while (rest < threshold[group]);
            for (int i = 0; i < group_size[group]; i++, position++) {
                int other = position + (int)draw[i];
                uint8_t card = decks[position];
                decks[position] = decks[other];
                decks[other] = card;
            }
        }
        *used = at;
    }
    return row;
}

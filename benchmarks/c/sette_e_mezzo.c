/* 7 e Mezzo in C, the yardstick of the compiled play-through; built by benchmarks/bench_simulation.py with
 *
 *     gcc -O3 -march=native -shared -fPIC
 *
 * Two ways of playing the same rounds from the same decks, both counting joint outcomes
 * (main x Partita Perfetta x Mano di Poker) in the order of certify.simulation.outcomes:
 *
 *   count_rounds     round by round as one writes it by hand: totals by arithmetic, the rulebook in ifs
 *   count_lockstep   the method of certify.simulation.kernel: the same tables, a block of rounds in waves
 *
 * Totals are in half points: 7 1/2 is 15.
 */
#include <stddef.h>
#include <stdint.h>

enum { CARDS = 40, FULL = 15, OVER = 16, KING = 17, MATTA = 36, FACE = 7, WILD = 8 };

typedef struct {
    int tie_pushes, king_beats_dealer, dealer_stands_on, player_draws_on_first_face;
    int dealer_draws_on_first_face, dealer_chases, must_uncover;
} rules_t;

static const uint8_t POINTS[10] = {2, 4, 6, 8, 10, 12, 14, 1, 1, 1};
/* A hand is named by the sum of one weight a card, so that every composition has its own number. */
static const int32_t WEIGHT[9] = {1, 5, 25, 125, 625, 3125, 15625, 78125, 937500};

static inline int class_of(int card) { return card == MATTA ? WILD : (card >> 2) < FACE ? (card >> 2) : FACE; }

static inline int total_of(int plain, int wild)
{
    if (!wild) return plain <= FULL ? plain : OVER;
    if (plain >= FULL) return OVER;
    return (plain & 1) || plain == FULL - 1 ? FULL : FULL - 1;
}

static inline int poker(int a, int b, int c)
{
    int set = 1 << (a >> 2) | 1 << (b >> 2) | 1 << (c >> 2);
    int suited = !(((a ^ b) | (a ^ c)) & 3);
    int low = __builtin_ctz(set);
    int run = set >> low == 7 && (low <= 4 || low == FACE);
    if (run && suited) return low == FACE ? 0 : 1;
    if (!(set & (set - 1))) return 2;
    if (suited) return 3;
    return run ? 4 : 6;
}

void count_rounds(const uint8_t *decks, size_t rounds, const uint8_t *draws, const rules_t *rules, int64_t *counts)
{
    for (size_t round = 0; round < rounds; round++) {
        const uint8_t *deck = decks + round * CARDS;
        int next = 2, card = deck[0], wild = card == MATTA, plain = wild ? 0 : POINTS[card >> 2];
        int hand = WEIGHT[class_of(card)], total = total_of(plain, wild);
        int forced = (card >> 2) >= FACE && rules->player_draws_on_first_face;
        while (total < FULL && (forced || draws[hand])) {
            card = deck[next++];
            forced = 0;
            if (card == MATTA) wild = 1;
            else plain += POINTS[card >> 2];
            hand += WEIGHT[class_of(card)];
            total = total_of(plain, wild);
        }
        int drew = next > 2, king = total == FULL && next == 3 && wild;
        int first = deck[0], open = deck[1], outcome, pair;
        if (total == OVER) {
            outcome = 4;
        } else {
            int target = total == FULL && rules->dealer_chases ? FULL : rules->dealer_stands_on;
            int dealer_wild = open == MATTA, dealer_plain = dealer_wild ? 0 : POINTS[open >> 2];
            int dealer = total_of(dealer_plain, dealer_wild);
            int must = (open >> 2) >= FACE && rules->dealer_draws_on_first_face;
            while (must || dealer < target) {
                card = deck[next++];
                must = 0;
                if (card == MATTA) dealer_wild = 1;
                else dealer_plain += POINTS[card >> 2];
                dealer = total_of(dealer_plain, dealer_wild);
            }
            if (king && (dealer != FULL || rules->king_beats_dealer)) outcome = 0;
            else if (dealer == OVER || dealer < total) outcome = 1;
            else outcome = dealer == total && rules->tie_pushes ? 2 : 3;
        }
        if (first >> 2 != open >> 2) pair = 4;
        else if (total == OVER && rules->must_uncover) pair = 3;
        else pair = first >> 2 == 6 ? 0 : first >> 2 > 6 ? 1 : 2;
        int mano = drew ? poker(first, open, deck[2]) : 5;
        counts[(outcome * 5 + pair) * 7 + mano]++;
    }
}

enum { BLOCK = 512 };
#define ENDED 0x80000000u

typedef struct {
    const uint32_t *steps;
    uint32_t player;
    const uint32_t *dealer;
    const uint8_t *main, *pairs, *poker;
} tables_t;

static void waves(const uint8_t *deck, const tables_t *t, uint32_t *entries, uint8_t *places, uint16_t *drawing, int active)
{
    while (active) {
        int still = 0;
        for (int i = 0; i < active; i++) {
            int round = drawing[i];
            uint32_t entry = t->steps[entries[round] + deck[round * CARDS + places[round]++]];
            entries[round] = entry;
            drawing[still] = (uint16_t)round;
            still += entry < ENDED;
        }
        active = still;
    }
}

void count_lockstep(const uint8_t *decks, size_t rounds, const tables_t *t, int64_t *counts)
{
    uint32_t entries[BLOCK];
    uint16_t drawing[BLOCK];
    uint8_t places[BLOCK], totals[BLOCK];
    for (size_t low = 0; low < rounds; low += BLOCK) {
        const uint8_t *deck = decks + low * CARDS;
        int size = rounds - low < BLOCK ? (int)(rounds - low) : BLOCK, active = 0;
        for (int i = 0; i < size; i++) {
            uint32_t entry = t->steps[t->player + deck[i * CARDS]];
            entries[i] = entry;
            places[i] = 2;
            drawing[active] = (uint16_t)i;
            active += entry < ENDED;
        }
        waves(deck, t, entries, places, drawing, active);
        active = 0;
        for (int i = 0; i < size; i++) {
            uint8_t code = entries[i] & 31;
            totals[i] = code;
            uint32_t entry = t->steps[t->dealer[code == FULL || code == KING] + deck[i * CARDS + 1]];
            entry = code == OVER ? ENDED : entry;
            entries[i] = entry;
            drawing[active] = (uint16_t)i;
            active += entry < ENDED;
        }
        waves(deck, t, entries, places, drawing, active);
        for (int i = 0; i < size; i++) {
            int a = deck[i * CARDS], b = deck[i * CARDS + 1], c = deck[i * CARDS + 2];
            int outcome = t->main[totals[i] << 5 | (entries[i] & 31)];
            int pair = t->pairs[(totals[i] == OVER ? 16 : 0) + (a >> 2)];
            pair = (a ^ b) < 4 ? pair : 4;
            int set = 1 << (a >> 2) | 1 << (b >> 2) | 1 << (c >> 2);
            int mano = t->poker[(((a ^ b) | (a ^ c)) & 3 ? 0 : 1024) + set];
            mano = t->steps[t->player + a] < ENDED ? mano : 5;
            counts[(outcome * 5 + pair) * 7 + mano]++;
        }
    }
}

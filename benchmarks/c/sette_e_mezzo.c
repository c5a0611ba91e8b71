/* 7 e Mezzo in C, the yardstick of the compiled play-through; built by benchmarks/bench_simulation.py with
 *
 *     gcc -O3 -march=native -shared -fPIC
 *
 * Plays round by round as one writes it by hand, totals by arithmetic and the rulebook in ifs, and counts joint
 * outcomes (main x Partita Perfetta x Mano di Poker) in the order of OUTCOMES there.
 *
 * Totals are in half points: 7 1/2 is 15.
 */
#include <stddef.h>
#include <stdint.h>

enum { CARDS = 40, FULL = 15, OVER = 16, MATTA = 36, FACE = 7, WILD = 8 };

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

/* Baccarat and video poker in plain C, the yardsticks of their exact figures; built by
 * benchmarks/bench_card_games.py with
 *
 *     gcc -O3 -march=native -shared -fPIC
 *
 *   baccarat      every ordered pattern of points of six cards, the way in which calculators of house edges count
 *   video_poker   every one of the 2,598,960 deals with all 32 holds: sums over the hands that hold a set of cards,
 *                 by inclusion and exclusion, the fastest way that is published for whole paytables; suits are not
 *                 merged into classes
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 wide;

static int banker_draws(int banker, int third)
{
    if (third < 0 || banker <= 2) return banker <= 5;
    switch (banker) {
    case 3: return third != 8;
    case 4: return third >= 2 && third <= 7;
    case 5: return third >= 4 && third <= 7;
    case 6: return third == 6 || third == 7;
    default: return 0;
    }
}

typedef struct {
    int64_t left[10], *found, size;
    int card[6];
} shoe_t;

static void end_of(shoe_t *shoe, int player, int banker, int64_t ways)
{
    shoe->found[player > banker ? 0 : player < banker ? 1 : 2] += ways;
}

/* Deals the card of a place, with so many orders behind it, and goes on. */
static void deal(shoe_t *shoe, int place, int64_t ways)
{
    const int *card = shoe->card;
    int player = (card[0] + card[2]) % 10, banker = (card[1] + card[3]) % 10;
    if (place == 4) {
        int over = player >= 8 || banker >= 8 || (player > 5 && banker > 5);
        if (over) { end_of(shoe, player, banker, ways * (shoe->size - 4) * (shoe->size - 5)); return; }
    } else if (place == 5 && player > 5) {
        end_of(shoe, player, (banker + card[4]) % 10, ways * (shoe->size - 5));
        return;
    } else if (place == 5 && !banker_draws(banker, card[4])) {
        end_of(shoe, (player + card[4]) % 10, banker, ways * (shoe->size - 5));
        return;
    } else if (place == 6) {
        end_of(shoe, (player + card[4]) % 10, (banker + card[5]) % 10, ways);
        return;
    }
    for (int points = 0; points < 10; points++) {
        if (!shoe->left[points]) continue;
        shoe->card[place] = points;
        deal(shoe, place + 1, ways * shoe->left[points]--);
        shoe->left[points]++;
    }
}

/* Orders of six cards that the player wins, the banker wins, and that tie. */
void baccarat(int decks, int64_t found[3])
{
    shoe_t shoe = {.found = found, .size = 52 * decks};
    for (int points = 0; points < 10; points++) shoe.left[points] = (points ? 4 : 16) * decks;
    memset(found, 0, 3 * sizeof *found);
    deal(&shoe, 0, 1);
}

static int64_t choose[53][6];

static int row_of(const int *hand)
{
    int counts[13] = {0}, pairs = 0, most = 0, high = 0, flush = 1;
    for (int i = 0; i < 5; i++) {
        int rank = hand[i] >> 2;
        counts[rank]++;
        flush &= (hand[i] & 3) == (hand[0] & 3);
    }
    /* Ranks go from the ace to the king, as the faces of the deck do. */
    for (int rank = 0; rank < 13; rank++) {
        if (counts[rank] > most) most = counts[rank];
        if (counts[rank] == 2) { pairs++; high |= rank == 0 || rank >= 10; }
    }
    int low = hand[0] >> 2, top = hand[4] >> 2;
    int broadway = most == 1 && low == 0 && hand[1] >> 2 == 9;
    int straight = most == 1 && (top - low == 4 || broadway);
    if (flush && broadway) return 9;
    if (flush && straight) return 8;
    if (most == 4) return 7;
    if (most == 3 && pairs) return 6;
    if (flush) return 5;
    if (straight) return 4;
    if (most == 3) return 3;
    if (pairs == 2) return 2;
    return pairs && high ? 1 : 0;
}

/* The sum of the best values of all deals over 7,669,695; pays by row, stake included. Returns 0 where it fits. */
int video_poker(const int64_t pays[10], int64_t *high, int64_t *low)
{
    static const int64_t share[6] = {7669695, 163185, 7095, 473, 43, 5};
    int64_t *sums[6];
    for (int n = 0; n <= 52; n++)
        for (int k = 0; k < 6; k++) choose[n][k] = k == 0 ? 1 : n == 0 ? 0 : choose[n - 1][k - 1] + choose[n - 1][k];
    for (int k = 0; k < 6; k++)
        if (!(sums[k] = calloc((size_t)choose[52][k], sizeof **sums))) return 1;
    for (int pass = 0; pass < 2; pass++) {
        wide total = 0;
        int hand[5];
        for (hand[4] = 4; hand[4] < 52; hand[4]++)
        for (hand[3] = 3; hand[3] < hand[4]; hand[3]++)
        for (hand[2] = 2; hand[2] < hand[3]; hand[2]++)
        for (hand[1] = 1; hand[1] < hand[2]; hand[1]++)
        for (hand[0] = 0; hand[0] < hand[1]; hand[0]++) {
            int64_t pay = pass ? 0 : pays[row_of(hand)], value[32], best = -1;
            for (int mask = 0; mask < 32; mask++) {
                int64_t number = 0;
                int k = 0;
                for (int i = 0; i < 5; i++)
                    if (mask >> i & 1) { k++; number += choose[hand[i]][k]; }
                if (pass) value[mask] = sums[k][number];
                else sums[k][number] += pay;
            }
            if (!pass) continue;
            for (int i = 0; i < 5; i++)
                for (int mask = 0; mask < 32; mask++)
                    if (!(mask >> i & 1)) value[mask] -= value[mask | 1 << i];
            for (int mask = 0; mask < 32; mask++) {
                int64_t worth = value[mask] * share[5 - __builtin_popcount(mask)];
                if (worth > best) best = worth;
            }
            total += best;
        }
        if (pass) { *high = (int64_t)(total >> 62); *low = (int64_t)(total & (((wide)1 << 62) - 1)); }
    }
    for (int k = 0; k < 6; k++) free(sums[k]);
    return 0;
}

/* Rounds of Caribbean stud in plain C, the yardstick of its play-through; built by benchmarks/bench_play.py.
 *
 * A pair or better is raised, ace and king by the three printed rules; the dealer qualifies with ace and king. The
 * dealer's last four cards are shuffled where a hand is raised.
 */
#include "draws.h"

enum { HIGH, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH, ROYAL, ACE_KING = 0xcb000 };

/* The kind of a hand above its ranks, those held most often first, four bits each. Card 0 is a two, 12 an ace. */
static int strength(const uint8_t *hand)
{
    int held[13] = {0}, order[5], ranks = 0, kind;
    for (int place = 0; place < 5; place++) held[hand[place] % 13]++;
    for (int place = 0; place < 5; place++) {
        int rank = hand[place] % 13, key = held[rank] << 4 | rank, at = place;
        for (; at && order[at - 1] < key; at--) order[at] = order[at - 1];
        order[at] = key;
    }
    for (int place = 0; place < 5; place++) ranks = ranks << 4 | (order[place] & 15);
    int most = order[0] >> 4, second = order[most] >> 4;
    if (most > 1) {
        kind = most == 4 ? FOUR : most == 3 ? (second == 2 ? FULL_HOUSE : THREE) : second == 2 ? TWO_PAIR : PAIR;
        return kind << 20 | ranks;
    }
    int suited = 1, wheel = ranks == 0xc3210;
    for (int place = 1; place < 5; place++) suited &= hand[place] / 13 == hand[0] / 13;
    int run = wheel || (order[0] - order[4] == 4);
    kind = run && suited ? (ranks >> 12 == 0xcb ? ROYAL : STRAIGHT_FLUSH) : suited ? FLUSH : run ? STRAIGHT : HIGH;
    return kind << 20 | (wheel ? 3 << 16 : ranks);
}

static int raises(int own, int up)
{
    if (own >= PAIR << 20 || own < ACE_KING) return own >= PAIR << 20;
    int matched = 0, queen = 0, jack = 0;
    for (int shift = 0; shift < 20; shift += 4) {
        int rank = own >> shift & 15;
        matched |= rank == up, queen |= rank == 10, jack |= rank == 9;
    }
    if (up < 11 ? matched : queen || jack) return 1;
    return !matched && queen && up < (own >> 4 & 15);
}

/* Plays rounds; returns their net results in antes, and the sum of the squares of those. */
int64_t caribbean_stud(const int64_t pays[10], int64_t rounds, uint64_t seed, int64_t *squares)
{
    uint8_t cards[52];
    shoe_t shoe = {cards, 52, 0, seed};
    int64_t sum = 0;
    for (int card = 0; card < 52; card++) cards[card] = card;
    *squares = 0;
    while (rounds--) {
        int64_t net = -1;
        for (shoe.at = 0; shoe.at < 6;) draw(&shoe);
        int own = strength(cards);
        if (raises(own, cards[5] % 13)) {
            while (shoe.at < 10) draw(&shoe);
            int other = strength(cards + 5);
            net = other < ACE_KING ? 1 : own > other ? 1 + 2 * pays[own >> 20] : own == other ? 0 : -3;
        }
        sum += net;
        *squares += net * net;
    }
    return sum;
}

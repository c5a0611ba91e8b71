/* What the loops of this folder draw by: words of SplitMix64, the upper half of each scaled to a number below n. */
#include <stdint.h>

typedef struct {
    uint8_t *cards;
    int size, at;
    uint64_t state;
} shoe_t;

static inline int below(uint64_t *state, uint64_t n)
{
    uint64_t word = (*state += 0x9e3779b97f4a7c15u);
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return (int)(((word >> 32) * n) >> 32);
}

/* Deals the next card. A round begins with at = 0 on the cards as the last one left them. */
static inline int draw(shoe_t *shoe)
{
    int place = shoe->at + below(&shoe->state, (uint64_t)(shoe->size - shoe->at));
    uint8_t card = shoe->cards[place];
    shoe->cards[place] = shoe->cards[shoe->at];
    shoe->cards[shoe->at++] = card;
    return card;
}

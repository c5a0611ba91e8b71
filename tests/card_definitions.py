"""Textbook definitions of what the card tests measure, one deck at a time, in plain Python.

The fast forms used on millions of decks are compared with these.
"""

from itertools import combinations, pairwise


def lehmer_code(deck):
    """For each position, how many later cards are smaller.

    Example:
        >>> lehmer_code([2, 0, 1])
        [2, 0, 0]
    """
    return [sum(later < card for later in deck[i + 1 :]) for i, card in enumerate(deck)]


def inversions(deck):
    """Number of pairs of cards out of order."""
    return sum(a > b for a, b in combinations(deck, 2))


def descents(deck):
    """Number of positions where the next card is smaller."""
    return sum(a > b for a, b in pairwise(deck))


def inverse(deck):
    """Position of each card."""
    return [list(deck).index(card) for card in range(len(deck))]


def rising_sequences(deck):
    """Number of maximal runs of consecutive ids found in order from the top of the deck.

    Source: Bayer and Diaconis, Annals of Applied Probability 2 (1992), section 2.

    Example:
        >>> rising_sequences([0, 3, 1, 2])
        2
    """
    return descents(inverse(deck)) + 1


def successions(deck):
    """Number of cards directly followed by the next id."""
    return sum(b == a + 1 for a, b in pairwise(deck))


def fixed_points(deck):
    """Number of cards lying at the position of their own id."""
    return sum(i == card for i, card in enumerate(deck))


def cycle_of(deck, start):
    """The cycle of one card when the deck is read as the mapping position to card."""
    cycle, card = [start], deck[start]
    while card != start:
        cycle.append(card)
        card = deck[card]
    return cycle


def cycles(deck):
    """Number of cycles."""
    return len({min(cycle_of(deck, card)) for card in range(len(deck))})


def fisher_yates_draws(deck):
    """The draws of a Fisher-Yates shuffle (from the last position down) that made the deck from id order.

    Source: Knuth, The Art of Computer Programming 2, 3.4.2, algorithm P.
    """
    order, draws = list(range(len(deck))), [0] * len(deck)
    for i in range(len(deck) - 1, 0, -1):
        draws[i] = order.index(deck[i])
        order[i], order[draws[i]] = order[draws[i]], order[i]
    return draws


def neighbours(deck, line, step):
    """Number of cards beside each other that lie on the same line one step apart, whichever comes first.

    Example:
        >>> neighbours([1, 0, 3, 2], line=[0, 0, 1, 1], step=[0, 1, 0, 1])
        2
    """
    return sum(line[a] == line[b] and abs(step[a] - step[b]) == 1 for a, b in pairwise(deck))


def lagged_places(decks, lag):
    """How often the card in place i of a deck lay in place j so many decks later.

    Example:
        >>> lagged_places([[0, 1], [1, 0]], 1)
        [[0, 1], [1, 0]]
    """
    counts = [[0] * len(decks[0]) for _ in decks[0]]
    for before, after in zip(decks, decks[lag:], strict=False):
        for place, card in enumerate(before):
            counts[place][list(after).index(card)] += 1
    return counts


def without_cut(deck):
    """The deck read from card 0 on, towards the smaller of its two neighbours: the same for all cuts and reversals.

    Example:
        >>> without_cut([3, 0, 2, 1]), without_cut([1, 2, 0, 3])
        ([0, 2, 1, 3], [0, 2, 1, 3])
    """
    start = list(deck).index(0)
    turned = [*deck[start:], *deck[:start]]
    return turned if turned[1] < turned[-1] else [turned[0], *turned[:0:-1]]


def without_mirror(deck):
    """The deck, or its cards counted from the other end, whichever begins with the smaller card.

    Example:
        >>> without_mirror([3, 0, 2, 1]), without_mirror([0, 3, 1, 2])
        ([0, 3, 1, 2], [0, 3, 1, 2])
    """
    return min(list(deck), [len(deck) - 1 - card for card in deck])


def without_suits(deck, faces, suits):
    """The faces of the cards, the suits numbered as they appear.

    Example:
        >>> without_suits([3, 0, 2], faces=[0, 0, 1, 1], suits=[0, 1, 0, 1])
        [3, 1, 4]
    """
    order = list(dict.fromkeys(suits[card] for card in deck))
    return [faces[card] * len(deck) + order.index(suits[card]) for card in deck]


def code_of(values):
    """The 64-bit code of some values: what the compiled loop computes, in whole numbers.

    Example:
        >>> code_of([]), code_of([1]) == code_of([2])
        (0, False)
    """
    code = 0
    for value in values:
        code = (code ^ (value + 1)) * 0x9E3779B97F4A7C15 % (1 << 64)
        code ^= code >> 29
    return code

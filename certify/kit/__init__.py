"""The author's kit: a family of one's own, begun and checked."""

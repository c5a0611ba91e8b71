"""Rules of play as readable code: pure, without randomness, input or output."""

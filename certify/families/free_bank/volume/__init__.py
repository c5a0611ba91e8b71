"""Play-through against a free bank: a compiled counter, its readable twin, and their own settlement."""

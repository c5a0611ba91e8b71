"""Statistical tests of random output: one small module per family, many tests, one decision."""

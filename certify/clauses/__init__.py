"""Catalogues of requirements as data, and the checks that answer them."""

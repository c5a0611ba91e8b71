"""The report: evidence in, a tagged PDF/A and its HTML twin out; nothing is calculated on the way."""

"""One module per chapter: what it takes from the evidence and how it is tabulated."""

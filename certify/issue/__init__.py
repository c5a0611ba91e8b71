"""Makes packs, makes them again and repeats their run: all that the command line asks for, and other callers too."""

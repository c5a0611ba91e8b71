"""Evidence as a noun: every part a frozen dataclass, written and read in one place, its JSON Schema generated.

Only this package and its modules ``document``, ``plain``, ``read`` and ``schema`` know what JSON looks like; whoever
makes evidence makes nouns, and whoever reads it gets them.
"""

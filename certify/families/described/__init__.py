"""What games share that are described in the submission alone: the language, what it is made into, a second reading."""

"""Games of several draws and decisions, described in the submission alone."""

"""Play-through of Caribbean stud, compiled and in plain Python; it settles by itself."""

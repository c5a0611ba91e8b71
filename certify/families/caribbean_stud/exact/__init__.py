"""Exact figures of Caribbean stud by inclusion and exclusion; nothing here is shared with the reference."""

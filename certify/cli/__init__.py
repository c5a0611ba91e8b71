"""One command per job; exit codes live here."""

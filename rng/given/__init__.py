"""Output that somebody gives: from files or streams to records, from records to items, and from items to an array."""

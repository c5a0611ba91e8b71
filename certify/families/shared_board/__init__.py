"""Games in which two cards each share a board of five, decided on at up to four points, which families share."""

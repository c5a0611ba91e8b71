"""The promises of a round, required of any system through a small adapter or over HTTP."""

"""The promises of a round, asked of any system through a small adapter or over HTTP."""

"""Seven and a Half against a bank that plays as it likes: Siete y media, Sept et demi, Sette e mezzo."""

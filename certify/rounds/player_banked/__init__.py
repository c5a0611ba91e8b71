"""Tables at which one of several people holds the bank: who has what, operations, and every promise tried there."""

"""Play-through of slots: tables by stop, compiled code, and its plain twin."""

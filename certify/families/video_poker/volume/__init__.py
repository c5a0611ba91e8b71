"""Play-through of video poker by compiled code and its twin."""

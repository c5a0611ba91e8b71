"""Rounds that were played: logs judged against the exact law, and live returns watched day by day."""

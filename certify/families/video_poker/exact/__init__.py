"""Exact figures of video poker by complete enumeration of deals and holds."""

"""What changed between two submissions, and may it?"""

"""Games of one decision, which families share: a hand is played or given up against one that must qualify."""

"""Three card poker: ante and play against a dealer who must qualify, pair plus, and a bonus on all six cards."""

"""Caribbean stud: an ante and a raise against a dealer who must qualify, and two bets on what is dealt."""

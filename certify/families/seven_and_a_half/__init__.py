"""What the families of Seven and a Half share: the forty cards, half points, and counting orders of the deck."""

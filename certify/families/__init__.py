"""Families of games: what one brings (``port``), which there are (``registry``), and one folder for each built in."""

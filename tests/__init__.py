"""The default suite: python -m unittest, standard library only."""

"""Tournaments: who meets whom, with which cards, and what a block of matches says when it is played."""

"""Ratings: what finished units say about the bots that played them."""

"""Runs a program that nobody trusts: `archive` takes it in, `box` describes the cell, `runner` starts and ends it.

Knows no game, no arena and no network protocol; imports nothing of ours.
"""

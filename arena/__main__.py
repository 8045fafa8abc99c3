"""`python -m arena`: the same as the command `arena`."""

from arena.cli import run

run()

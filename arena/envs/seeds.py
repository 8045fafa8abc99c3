"""Seeds of matches: one number stands for an endless stream of them. Knows no game."""

import hashlib
import secrets


def match_seed(seed: int, number: int) -> bytes:
    """The 32 bytes that match ``number`` (from 0) of the stream ``seed`` starts from; both are 0 .. 2^64 - 1."""
    return hashlib.sha256(b"card-arena environment" + seed.to_bytes(8, "big") + number.to_bytes(8, "big")).digest()


class SeedStream:
    """Match seeds one after the other."""

    __slots__ = ("_number", "_seed")

    def __init__(self, seed: int | None = None) -> None:
        """A stream by number, or one that nobody can foresee."""
        self.restart(seed)

    def restart(self, seed: int | None) -> None:
        """Begins the stream of another number."""
        self._seed = secrets.randbits(63) if seed is None else seed
        self._number = 0

    def draw(self) -> bytes:
        """The next seed."""
        found = match_seed(self._seed, self._number)
        self._number += 1
        return found

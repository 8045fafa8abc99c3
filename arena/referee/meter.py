"""What all streams of one owner bring, in bytes, against what they may. Knows no owner, no stream and no clock."""

from arena.referee.stream import Farewell


class Meter:
    """A bucket that fills with what is received and runs out at a steady rate.

    :ivar limit: how many bytes it holds.
    :ivar per_s: how many run out in a second.
    :ivar farewell: what a stream is told whose frame does not fit any more.
    """

    def __init__(self, limit: int, per_s: int, farewell: Farewell) -> None:
        self.limit = limit
        self.per_s = per_s
        self.farewell = farewell
        self._used = 0.0
        self._at_us = 0

    def take(self, size: int, now_us: int) -> bool:
        """Whether a frame of so many bytes still fits. One that does not counts for nothing: it ends its stream."""
        used = self.used(now_us) + size
        if used > self.limit:
            return False
        self._used = used
        self._at_us = now_us
        return True

    def used(self, now_us: int) -> float:
        """How many bytes are in it."""
        return max(0.0, self._used - self.per_s * (now_us - self._at_us) / 1e6)

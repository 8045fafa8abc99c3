"""What is kept of a bot's output, and when it came: the beginning and the end. Knows no process and no clock."""

from collections import deque
from dataclasses import dataclass

PART_COST = 16
"""A part counts as so many bytes more than it has, so that many small ones cost no more than a few big ones."""

LINE_LENGTH = 200
"""Characters that are shown of a last line."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some output. ``since_ms`` and ``until_ms`` are when its first and its last byte came, from the cell's start."""

    since_ms: int
    until_ms: int
    data: bytes


class Output:
    """Takes any amount of bytes and keeps about `kept` of them, half from the beginning and half from the end."""

    def __init__(self, kept: int) -> None:
        self.total = 0
        self._head: list[Part] = []
        self._head_room = kept // 2
        self._tail: deque[Part] = deque()
        self._tail_room = kept - kept // 2
        self._tail_cost = 0

    def take(self, chunk: bytes, at_ms: int) -> None:
        """Bytes that came at that time."""
        self.total += len(chunk)
        room = max(0, self._head_room - PART_COST)
        for_head, for_tail = chunk[:room], chunk[room:]
        if for_head:
            self._head.append(Part(at_ms, at_ms, for_head))
            self._head_room -= PART_COST + len(for_head)
        if for_tail:
            self._head_room = 0
            self._tail.append(Part(at_ms, at_ms, for_tail))
            self._tail_cost += PART_COST + len(for_tail)
            while self._tail_cost - _cost(self._tail[0]) >= self._tail_room:
                self._tail_cost -= _cost(self._tail.popleft())

    def parts(self) -> tuple[Part, ...]:
        """What is kept, with a part between both halves that says how much is left out."""
        tail = list(self._tail)
        if tail and (too_much := self._tail_cost - self._tail_room) > 0:
            first = tail.pop(0)
            if rest := first.data[too_much:]:
                tail.insert(0, Part(first.since_ms, first.until_ms, rest))
        kept = sum(len(part.data) for part in (*self._head, *tail))
        if kept == self.total:
            return (*self._head, *tail)
        since_ms = self._head[-1].until_ms if self._head else 0
        until_ms = tail[0].since_ms if tail else since_ms
        gap = f"\n[... {self.total - kept} bytes are left out here ...]\n".encode()
        return (*self._head, Part(since_ms, until_ms, gap), *tail)

    def last_line(self) -> str:
        """The last line that is not empty, its control signs as question marks; empty if there is none."""
        end = b"".join(part.data for part in self.parts())[-8 * LINE_LENGTH :].decode(errors="replace")
        line = end.rstrip().rpartition("\n")[2].strip()
        shown = line if len(line) <= LINE_LENGTH else f"{line[:LINE_LENGTH]} …"
        return "".join(sign if sign.isprintable() else "?" for sign in shown)


def _cost(part: Part) -> int:
    return PART_COST + len(part.data)

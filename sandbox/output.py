"""What is kept of a bot's output: the beginning and the end. Knows no process."""


class Output:
    """Takes any amount of bytes and keeps at most `kept` of them, half from the beginning and half from the end."""

    def __init__(self, kept: int) -> None:
        self.total = 0
        self._head_size = kept // 2
        self._tail_size = kept - self._head_size
        self._head = bytearray()
        self._tail = bytearray()

    def take(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self._head_size - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._tail_size:
            del self._tail[: -self._tail_size]

    def text(self) -> bytes:
        """What is kept, with a line between both halves that says how much is left out."""
        tail = self._tail[-self._tail_size :] if self._tail_size else b""
        missing = self.total - len(self._head) - len(tail)
        gap = f"\n[... {missing} bytes are left out here ...]\n".encode() if missing else b""
        return bytes(self._head) + gap + bytes(tail)

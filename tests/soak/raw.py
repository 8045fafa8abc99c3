"""A Play call as the bytes of HTTP/2, for bots that are cut off in the middle of one or send it byte by byte. Knows no
gRPC library: such a library never sends half of anything."""

import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS, HEADERS, DATA = 4, 1, 0
END_HEADERS = 4


def opening(address: str, token: str) -> bytes:
    """Connects and opens the call, up to its first message."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": "/arena.v1.PlayService/Play",
        ":authority": address,
        "te": "trailers",
        "content-type": "application/grpc",
        "authorization": f"Bearer {token}",
    }
    block = b"".join(b"\0" + _text(name) + _text(value) for name, value in fields.items())
    return PREFACE + _frame(SETTINGS, 0, 0, b"") + _frame(HEADERS, END_HEADERS, 1, block)


def message(data: bytes) -> bytes:
    """One message of the call."""
    return _frame(DATA, 0, 1, b"\0" + struct.pack(">I", len(data)) + data)


def _text(text: str) -> bytes:
    """A string of a header, which is shorter than 127 bytes."""
    return bytes((len(text),)) + text.encode()


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload

"""A program as a bot's entry point: a static executable for this machine, told by its own bytes. Knows no archive, and
runs nothing.

A cell has the libraries of the worker's host, which differ from host to host and from the author's. A static program
needs none of them.
"""

import platform
import struct
from collections.abc import Iterator

_HEADER = struct.Struct("<16s2HI3QI6H")
_SEGMENT = struct.Struct("<2I6Q")
_DYNAMIC = struct.Struct("<qQ")
_MARK, _IS_64_BIT, _IS_LITTLE = b"\x7fELF", 2, 1
_PROGRAM, _PROGRAM_ANYWHERE = 2, 3
_LIBRARIES, _LOADER = 2, 3
_NEEDED = 1

MACHINES = {"i386": 3, "arm": 40, "x86_64": 62, "aarch64": 183, "riscv64": 243}
"""How an executable names the machine that it is for."""


HERE = platform.machine()
ANY_MACHINE = ""


def complaint(body: bytes, machine: str = HERE) -> str:
    """Why this is no program that a cell on the machine (such as x86_64) can start, and what to do; empty if it is."""
    if not body.startswith(_MARK):
        return "is neither a Python file, *.py, nor a program; a script in another language cannot be started"
    if len(body) < _HEADER.size or body[4] != _IS_64_BIT or body[5] != _IS_LITTLE:
        return f"is a program for another kind of machine; build it for {machine or 'that of the server'}"
    _, kind, made_for, _, _, first, _, _, _, size, count, *_ = _HEADER.unpack_from(body)
    if machine and made_for != MACHINES.get(machine):
        names = {number: name for name, number in MACHINES.items()}
        return f"is a program for {names.get(made_for, 'another machine')}; build it for {machine}"
    if kind not in {_PROGRAM, _PROGRAM_ANYWHERE} or size != _SEGMENT.size or not count:
        return "is a part of a program; link it to an executable"
    if first + size * count > len(body):
        return "is cut off; build it again"
    if any(_asks_for_libraries(body, first + size * number) for number in range(count)):
        how = "Go: CGO_ENABLED=0; Rust: a musl target; C: -static"
        return f"needs libraries that a cell does not have; link it statically ({how})"
    return ""


def _asks_for_libraries(body: bytes, at: int) -> bool:
    kind, _, offset, _, _, length, *_ = _SEGMENT.unpack_from(body, at)
    if kind == _LIBRARIES:
        return _NEEDED in _tags(body[offset : offset + length])
    return bool(kind == _LOADER)


def _tags(table: bytes) -> Iterator[int]:
    for tag, _ in _DYNAMIC.iter_unpack(table[: len(table) // _DYNAMIC.size * _DYNAMIC.size]):
        yield tag

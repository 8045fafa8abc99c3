"""Programs as entry points: which are taken, which are refused and why, and how they lie in the store."""

import io
import struct
import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.archive import ArchiveError, extract, pack, read_manifest
from sandbox.program import ANY_MACHINE, HERE, MACHINES, complaint

MANIFEST = b'name = "tool"\nentry = "bin/tool"\ngames = ["whist"]\n'


def executable(
    *segments: tuple[int, bytes], kind: int = 2, machine: int = MACHINES["x86_64"], bits: int = 2, order: int = 1
) -> bytes:
    """The bones of an executable: its header and its segments with their bytes."""
    body, table = b"", b""
    for number, content in segments:
        table += struct.pack("<2I6Q", number, 0, 64 + 56 * len(segments) + len(body), 0, 0, len(content), 0, 0)
        body += content
    mark = b"\x7fELF" + bytes((bits, order)) + bytes(10)
    return mark + struct.pack("<2HI3QI6H", kind, machine, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0) + table + body


LOADED = (1, b"code")
FREE = (2, struct.pack("<4q", 5, 1, 0, 0))
BOUND = (2, struct.pack("<4q", 5, 1, 1, 7))
WITH_LOADER = (3, b"/lib64/ld-linux-x86-64.so.2\0")

JUDGED = {
    "static": (executable(LOADED), ""),
    "static, at any address": (executable(LOADED, FREE, kind=3), ""),
    "with a loader": (executable(WITH_LOADER, LOADED, kind=3), "needs libraries that a cell does not have"),
    "with libraries": (executable(LOADED, BOUND, kind=3), "needs libraries that a cell does not have"),
    "aarch64": (executable(LOADED, machine=183), "is a program for aarch64; build it for x86_64"),
    "i386 in 64 bits": (executable(LOADED, machine=3), "is a program for i386; build it for x86_64"),
    "unheard of": (executable(LOADED, machine=9999), "is a program for another machine; build it for x86_64"),
    "32 bits": (executable(LOADED, bits=1), "is a program for another kind of machine; build it for x86_64"),
    "big end first": (executable(LOADED, order=2), "is a program for another kind of machine; build it for x86_64"),
    "only a mark": (b"\x7fELF", "is a program for another kind of machine; build it for x86_64"),
    "an object": (executable(kind=1), "is a part of a program; link it to an executable"),
    "a core": (executable(LOADED, kind=4), "is a part of a program; link it to an executable"),
    "cut off": (executable(LOADED, FREE)[:150], "is cut off; build it again"),
    "a script": (b"#!/bin/sh\necho hello\n", "is neither a Python file, *.py, nor a program"),
    "a program of Windows": (b"MZ\x90\0", "is neither a Python file, *.py, nor a program"),
    "nothing": (b"", "is neither a Python file, *.py, nor a program"),
}


@pytest.mark.parametrize("name", JUDGED)
def test_a_program_is_judged_by_its_bytes(name: str) -> None:
    body, said = JUDGED[name]
    why = complaint(body, "x86_64")
    assert why.startswith(said)
    assert bool(why) is bool(said)


def test_whoever_does_not_know_the_machine_lets_every_one_pass() -> None:
    assert complaint(executable(LOADED, machine=MACHINES["aarch64"]), ANY_MACHINE) == ""
    assert complaint(executable(BOUND, machine=MACHINES["riscv64"]), ANY_MACHINE).startswith("needs libraries")
    assert complaint(executable(LOADED, bits=1), ANY_MACHINE).endswith("build it for that of the server")


@given(st.integers(0, 2**16 - 1), st.integers(0, 2**64 - 1), st.binary(max_size=300))
def test_any_bytes_are_judged(count: int, first: int, rest: bytes) -> None:
    head = bytearray(executable(LOADED, FREE, kind=3))
    struct.pack_into("<Q", head, 32, first)
    struct.pack_into("<H", head, 56, count)
    assert isinstance(complaint(bytes(head) + rest, "x86_64"), str)
    assert isinstance(complaint(bytes(head[:16]) + rest, "x86_64"), str)


def test_only_the_program_is_executable_in_the_store_whatever_modes_the_archive_has(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, body in (("bot.toml", MANIFEST), ("bin/tool", here()), ("bin/other", here()), ("main.py", b"")):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o104755 if name == "main.py" else 0o100600) << 16
            archive.writestr(entry, body)
    extract(out.getvalue(), tmp_path / "bot")
    modes = {path.name: path.stat().st_mode & 0o7777 for path in (tmp_path / "bot").rglob("*") if path.is_file()}
    assert modes == {"bot.toml": 0o644, "tool": 0o555, "other": 0o644, "main.py": 0o644}


def test_a_program_that_cannot_be_started_here_is_refused_at_the_door(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bot.toml").write_bytes(MANIFEST)
    (tmp_path / "bin" / "tool").write_bytes(here())
    assert not read_manifest(pack(tmp_path)).is_python
    (tmp_path / "bin" / "tool").write_bytes(executable(WITH_LOADER, LOADED, machine=MACHINES[HERE]))
    with pytest.raises(ArchiveError, match=r"^the entry point 'bin/tool' needs libraries .*-static\)\.$"):
        read_manifest(pack(tmp_path))


def test_what_the_compiler_makes_is_told_apart(compiler: str, tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text('#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n')
    for flags, said in ((["-static"], ""), ([], "needs libraries"), (["-c"], "is a part of a program")):
        subprocess.run([compiler, *flags, "-o", "out", "main.c"], cwd=tmp_path, check=True)
        why = complaint((tmp_path / "out").read_bytes(), HERE)
        assert why.startswith(said)
        assert bool(why) is bool(said)


def here() -> bytes:
    """A program for this machine, as far as its header goes."""
    return executable(LOADED, machine=MACHINES[HERE])

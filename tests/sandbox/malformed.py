"""Malformed archives from good ones by seeded mutation, and what becomes of them. ``python -m tests.sandbox.malformed``
judges them all in this process, which it keeps small, and prints one line of JSON for each."""

import copy
import json
import random
import resource
import shutil
import stat
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from sandbox.archive import ArchiveError, ArchiveLimits, extract

LIMITS = ArchiveLimits(archive_mib=1, expanded_mib=2, files=20, path_bytes=60, folders=4)
ROOM = 64 << 20
"""Bytes of address space beyond those of a process that has done nothing: less than a bomb here expands to."""
BOMB = 128 << 20
EACH, FLIPPED = 12, 900
"""Archives of every kind, and archives with bytes changed anywhere."""

MANIFEST = b'name = "lucky"\nentry = "main.py"\ngames = ["whist"]\n'
FILE, FOLDER = (stat.S_IFREG | 0o644) << 16, (stat.S_IFDIR | 0o755) << 16 | 0x10


@dataclass
class Part:
    """A file of an archive, with everything that is said of it; ``header`` and ``listed`` say it otherwise."""

    name: bytes
    body: bytes = b""
    method: int = zipfile.ZIP_DEFLATED
    flags: int = 0x800
    attributes: int = FILE
    needed: int = 20
    extra: bytes = b""
    comment: bytes = b""
    trailer: bytes | None = None
    gap: bytes = b""
    packed: bytes = b""
    header: dict[str, int | bytes] = field(default_factory=dict)
    listed: dict[str, int | bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.packed = deflated(self.body) if self.method == zipfile.ZIP_DEFLATED else self.body

    def said(self, otherwise: dict[str, int | bytes]) -> dict[str, Any]:
        return {
            "name": self.name,
            "flags": self.flags,
            "method": self.method,
            "extra": self.extra,
            "crc": zlib.crc32(self.body),
            "packed": len(self.packed),
            "size": len(self.body),
            "disk": 0,
            **otherwise,
        }


@dataclass
class Plan:
    """An archive before it is written. ``end`` says otherwise what its last lines say."""

    parts: list[Part]
    front: bytes = b""
    gap: bytes = b""
    locator: bytes = b""
    comment: bytes = b""
    tail: bytes = b""
    end: dict[str, int] = field(default_factory=dict)

    def write(self) -> bytes:
        data, listed = bytearray(self.front), bytearray()
        for part in self.parts:
            data += part.gap
            at = len(data)
            says = part.said(part.header)
            numbers = (0, 0, 0) if part.trailer is not None else (says["crc"], says["packed"], says["size"])
            lengths = (len(says["name"]), len(says["extra"]))
            data += struct.pack(
                "<4s5H3I2H", b"PK\3\4", part.needed, says["flags"], says["method"], 0, 33, *numbers, *lengths
            )
            data += says["name"] + says["extra"] + part.packed
            if part.trailer is not None:
                data += part.trailer + struct.pack("<3I", says["crc"], says["packed"], says["size"])
            says = {"offset": at, **part.said(part.listed)}
            listed += struct.pack(
                "<4s6H3I5H2I", b"PK\1\2", 0x31E, part.needed, says["flags"], says["method"], 0, 33,
                says["crc"], says["packed"], says["size"], len(says["name"]), len(says["extra"]), len(part.comment),
                says["disk"], 0, part.attributes, says["offset"],
            )  # fmt: skip
            listed += says["name"] + says["extra"] + part.comment
        data += self.gap
        says = {
            "disk": 0,
            "first": 0,
            "here": len(self.parts),
            "count": len(self.parts),
            "size": len(listed),
            "start": len(data),
            "comment": len(self.comment),
            **self.end,
        }
        return bytes(data + listed + self.locator + struct.pack("<4s4H2IH", b"PK\5\6", *says.values())) + (
            self.comment + self.tail
        )


def deflated(body: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


@cache
def bomb() -> bytes:
    return deflated(bytes(BOMB))


def good(rng: random.Random) -> Plan:
    """A good archive: of one of the ways in which zip programs write them."""
    way = rng.randrange(6)
    stored = zipfile.ZIP_STORED if way == 0 else zipfile.ZIP_DEFLATED
    bodies = {
        b"bot.toml": MANIFEST,
        b"main.py": b"print(1)\n" * rng.randint(1, 40),
        "lib/é.py".encode(): rng.randbytes(rng.randint(1, 300)),
        b"lib/model.bin": bytes(rng.randint(0, 2000)),
    }
    parts = [Part(name, body, stored) for name, body in bodies.items()]
    plan = Plan(parts)
    if way == 1:
        parts.insert(0, Part(b"lib/", attributes=FOLDER, method=zipfile.ZIP_STORED))
        parts.append(Part(b"__MACOSX/._x", b"junk"))
    if way == 2:
        plan.comment = b"packed by hand"
        parts[1].comment = b"the entry point"
    if way == 3:
        for part in parts:
            part.flags |= 0x8
            part.trailer = rng.choice([b"", b"PK\7\x08"])
    if way == 4:
        for part in parts:
            part.attributes = 0x20
            part.extra = struct.pack("<2H9s", 0x5455, 9, bytes(9))
    if way == 5:
        for part in parts:
            part.name = b"lucky/" + part.name
    rng.shuffle(parts)
    return plan


def tree(plan: Plan) -> dict[str, bytes]:
    """What is in a good archive."""
    names = {part.name.decode().removeprefix("lucky/"): part.body for part in plan.parts}
    return {name: body for name, body in names.items() if not name.endswith("/") and "__MACOSX" not in name}


Mutation = Callable[[random.Random, Plan], None]


def one(plan: Plan, rng: random.Random) -> Part:
    """A file of the archive that counts, not a folder."""
    return rng.choice([part for part in plan.parts if part.body and b"__MACOSX" not in part.name])


def add(**members: Any) -> Mutation:
    """One more file of this kind, anywhere."""
    return lambda rng, plan: plan.parts.insert(rng.randrange(len(plan.parts) + 1), Part(**copy.deepcopy(members)))


def also(*parts: Part) -> Mutation:
    return lambda _rng, plan: plan.parts.extend(copy.deepcopy(parts))


def change(**members: Any) -> Mutation:
    """Something else about one of the files."""

    def mutate(rng: random.Random, plan: Plan) -> None:
        part = one(plan, rng)
        for name, value in members.items():
            setattr(part, name, value)

    return mutate


def says(where: str, member: str, value: Callable[[random.Random, Any], Any]) -> Mutation:
    """A file's header, or the list, says otherwise; both when it is about ``both``."""

    def mutate(rng: random.Random, plan: Plan) -> None:
        part = one(plan, rng)
        told = value(rng, part.said({})[member])
        for place in ("header", "listed") if where == "both" else (where,):
            getattr(part, place)[member] = told

    return mutate


def around(**members: Any) -> Mutation:
    """Something else about the archive."""

    def mutate(_rng: random.Random, plan: Plan) -> None:
        for name, value in members.items():
            setattr(plan, name, value)

    return mutate


def ends(member: str, by: int) -> Mutation:
    """The end says a number that is off."""

    def mutate(_rng: random.Random, plan: Plan) -> None:
        data = plan.write()
        at = data.rindex(b"PK\5\6")
        names = ("disk", "first", "here", "count", "size", "start", "comment")
        plan.end[member] = struct.unpack_from("<4H2IH", data, at + 4)[names.index(member)] + by

    return mutate


def behind(extra: bytes) -> Mutation:
    """Bytes within a file's packed ones, behind their end."""

    def mutate(rng: random.Random, plan: Plan) -> None:
        part = one(plan, rng)
        if part.method == zipfile.ZIP_STORED:
            part.method, part.packed = zipfile.ZIP_DEFLATED, deflated(part.body)
        part.packed += extra

    return mutate


def shortened(rng: random.Random, plan: Plan) -> None:
    part = one(plan, rng)
    part.packed = part.packed[:-1]


def same_place(rng: random.Random, plan: Plan) -> None:
    """A second entry of the list at the place of a file that is there: little bytes for much."""
    part = one(plan, rng)
    place = plan.write().index(part.name) - 30
    plan.parts.append(copy.deepcopy(part))
    plan.parts[-1].name = b"twin.py"
    plan.parts[-1].header = {"name": part.name}
    plan.parts[-1].listed = {"name": part.name, "offset": place}


def quoted(_rng: random.Random, plan: Plan) -> None:
    """A file whose bytes hold the header and the bytes of another one."""
    inner = Part(b"in.py", b"x" * 50, zipfile.ZIP_STORED)
    header = Plan([inner]).write()[: 30 + len(inner.name) + 50]
    plan.parts = [Part(b"out.py", header, zipfile.ZIP_STORED), *plan.parts, inner]
    inner.listed["offset"] = 30 + len(b"out.py")


def second(rng: random.Random, plan: Plan) -> None:
    plan.tail = good(rng).write()


def prepended(rng: random.Random, plan: Plan) -> None:
    plan.front = good(rng).write()


def hidden_end(_rng: random.Random, plan: Plan) -> None:
    """A whole other end inside the comment."""
    other = Plan([Part(b"other.py", b"x")]).write()
    plan.comment = other


KINDS: dict[str, tuple[Mutation, str]] = {
    "absolute path": (add(name=b"/etc/passwd"), "is absolute"),
    "upwards": (add(name=b"../x.py"), r"by '\.\.'"),
    "upwards within": (add(name=b"a/../../../x.py"), r"by '\.\.'"),
    "dot": (add(name=b"./x.py"), "empty part or"),
    "empty part": (add(name=b"a//x.py"), "empty part or"),
    "no name": (add(name=b""), "empty part or"),
    "backslash": (add(name=b"..\\x.py"), "backslash"),
    "drive": (add(name=b"C:x.py"), "drive letter"),
    "stream of a file": (add(name=b"x.py:evil"), "drive letter"),
    "zero byte": (add(name=b"x.py\0.txt"), "control or invisible"),
    "line break": (add(name=b"x\n.py"), "control or invisible"),
    "escape": (add(name=b"\x1b[2J.py"), "control or invisible"),
    "writing direction": (add(name="x\u202eyp.py".encode()), "control or invisible"),
    "line separator": (add(name="x\u2028.py".encode()), "control or invisible"),
    "not UTF-8": (add(name=b"\xff\xfe.py"), "not UTF-8"),
    "half of a letter": (add(name=b"x\xc3.py", flags=0), "not UTF-8"),
    "surrogate": (add(name=b"x\xed\xa0\x80.py"), "not UTF-8"),
    "long path": (add(name=b"a" * 61), "longer than 60 bytes"),
    "deep path": (add(name=b"a/b/c/d/e/x.py"), "more than 4 folders"),
    "case": (also(Part(b"Data.bin", b"1"), Part(b"data.BIN", b"2")), "differ only in case"),
    "case of folders": (also(Part(b"Data/1", b"1"), Part(b"DATA/2", b"2")), "differ only in case"),
    "accents": (also(Part("ä.py".encode(), b"1"), Part("a\u0308.py".encode(), b"2")), "differ only in case"),
    "ligature": (also(Part("ﬁ.py".encode(), b"1"), Part(b"FI.py", b"2")), "differ only in case"),
    "double": (also(Part(b"x.py", b"1"), Part(b"x.py", b"2")), "twice"),
    "file and folder": (also(Part(b"x", b"1"), Part(b"x/y", b"2")), "both a file and a folder"),
    "file with a slash": (also(Part(b"x", b"1"), Part(b"x/", attributes=FOLDER)), "both a file and a folder"),
    "the arena's module": (add(name=b"engine/__init__.py"), "hides the arena's own module|is in the archive twice"),
    "link": (add(name=b"x", body=b"/etc/passwd", attributes=(stat.S_IFLNK | 0o777) << 16), "is a link"),
    "link of Windows": (add(name=b"x", attributes=0x420), "is a link"),
    "link in a further field": (add(name=b"x", extra=struct.pack("<2H16s", 0xD, 16, b"/etc")), "is a link or a device"),
    "pipe": (add(name=b"x", attributes=stat.S_IFIFO << 16), "neither a plain file"),
    "socket": (add(name=b"x", attributes=stat.S_IFSOCK << 16), "neither a plain file"),
    "device": (add(name=b"x", attributes=stat.S_IFCHR << 16), "neither a plain file"),
    "disk": (add(name=b"x", attributes=stat.S_IFBLK << 16), "neither a plain file"),
    "device of Windows": (add(name=b"x", attributes=0x40), "neither a plain file"),
    "label of a disk": (add(name=b"x", attributes=0x8), "neither a plain file"),
    "folder in disguise": (add(name=b"x", attributes=FOLDER), "neither a plain file"),
    "folder of Windows": (add(name=b"x", attributes=0x10), "neither a plain file"),
    "folder with bytes": (add(name=b"x/", body=b"payload"), "carries bytes of its own"),
    "encrypted": (says("both", "flags", lambda _rng, said: said | 0x1), "encrypted"),
    "strongly encrypted": (says("both", "flags", lambda _rng, said: said | 0x41), "encrypted"),
    "patched": (says("both", "flags", lambda _rng, said: said | 0x20), "encrypted or patched"),
    "masked": (says("both", "flags", lambda _rng, said: said | 0x2000), "encrypted"),
    "unusual method": (
        says("both", "method", lambda rng, _said: rng.choice([1, 6, 9, 12, 14, 93, 98, 99, 65535])),
        "unusual way",
    ),
    "newer program": (change(needed=90), "newer zip program"),
    "size too large": (says("both", "size", lambda rng, said: said + rng.randint(1, 99)), "not as long"),
    "size too small": (says("both", "size", lambda rng, said: said - 1), "not as long"),
    "checksum": (says("both", "crc", lambda rng, said: said ^ 1 << rng.randrange(32)), "checksum"),
    "size only in the list": (says("listed", "size", lambda _rng, said: said + 1), "say different things|sizes behind"),
    "size only in the header": (says("header", "size", lambda _rng, said: said + 1), "different things|sizes behind"),
    "checksum only in the list": (says("listed", "crc", lambda _rng, said: said ^ 1), "different things|sizes behind"),
    "method only in the list": (says("listed", "method", lambda _rng, said: said ^ 8), "say different things"),
    "flags only in the list": (says("listed", "flags", lambda _rng, said: said ^ 2), "say different things"),
    "another name in the list": (says("listed", "name", lambda _rng, said: said[:-1] + b"!"), "another name"),
    "packed too large": (
        says("both", "packed", lambda _rng, said: said + 1),
        "overlaps|sizes behind|not where the archive says|not end with it",
    ),
    "packed too small": (says("both", "packed", lambda _rng, said: said - 1), "other bytes before|sizes behind"),
    "packed beyond the end": (says("both", "packed", lambda _rng, _said: 1 << 31), "overlaps|sizes behind"),
    "offset beyond the end": (lambda rng, plan: one(plan, rng).listed.update(offset=1 << 30), "not where the archive"),
    "offset within": (lambda rng, plan: one(plan, rng).listed.update(offset=7), "not where the archive says"),
    "bytes behind the packed": (behind(b"hidden"), "do not end with it"),
    "packed cut": (shortened, "do not end with it|not as long"),
    "bomb": (add(name=b"x", body=bytes(3 << 20)), "expands to more than 2 MiB"),
    "bomb in parts": (
        also(*(Part(b"%d" % n, bytes(700 << 10)) for n in range(4))),
        "expands to more than 2 MiB",
    ),
    "bomb that lies": (
        lambda rng, plan: plan.parts.append(lying_bomb(rng)),
        "not as long as",
    ),
    "too many files": (also(*(Part(b"%d.py" % n) for n in range(21))), "more than 20 files"),
    "endless list": (also(*(Part(b"%d/" % n, attributes=FOLDER) for n in range(60))), "lists 6. files and folders"),
    "bytes in front": (around(front=b"#!/bin/sh\n"), "other bytes before"),
    "bytes between": (change(gap=b"PK"), "other bytes before"),
    "bytes before the list": (around(gap=b"\0" * 16), "other bytes before its list"),
    "bytes behind": (around(tail=b"\0"), "does not end where it says"),
    "another archive behind": (second, "list of files is not where"),
    "another archive in front": (prepended, "other bytes before"),
    "another archive in the comment": (hidden_end, "list of files is not where"),
    "comment too long": (ends("comment", 5), "does not end where it says"),
    "list too far": (ends("start", 1), "list of files is not where"),
    "list too early": (ends("start", -46), "list of files is not where"),
    "list too long": (ends("size", 46), "list of files is not where"),
    "one fewer": (
        lambda _rng, plan: plan.end.update(here=len(plan.parts) - 1, count=len(plan.parts) - 1),
        "beside its",
    ),
    "one more": (lambda _rng, plan: plan.end.update(here=len(plan.parts) + 1, count=len(plan.parts) + 1), "is not one"),
    "counts that differ": (ends("count", 1), "several parts"),
    "second disk": (ends("disk", 1), "several parts"),
    "list on another disk": (ends("first", 1), "several parts"),
    "file on another disk": (lambda rng, plan: one(plan, rng).listed.update(disk=1), "several parts"),
    "large end": (around(locator=struct.pack("<4sIQI", b"PK\6\7", 0, 0, 1)), "zip64"),
    "large count": (around(end={"here": 0xFFFF, "count": 0xFFFF}), "zip64"),
    "large start": (around(end={"start": 0xFFFFFFFF}), "zip64"),
    "large size": (lambda rng, plan: one(plan, rng).listed.update(size=0xFFFFFFFF), "zip64"),
    "large field": (change(extra=struct.pack("<2H2Q", 1, 16, 1 << 40, 1 << 40)), "zip64"),
    "field with another name": (change(extra=struct.pack("<2HBI5s", 0x7075, 10, 1, 0, b"evil!")), "a further field"),
    "field that runs out": (change(extra=b"\1\2\3"), "cannot be read"),
    "field beyond itself": (change(extra=b"UT\xff\xff"), "cannot be read"),
    "same bytes twice": (same_place, "twice|overlaps"),
    "file within a file": (quoted, "overlaps"),
    "trailer that is none": (change(trailer=b"PK\7\7", flags=0x808), "sizes behind"),
}

ANYWHERE = (
    "its end is missing",
    "runs beyond it",
    "cannot be expanded",
    *dict.fromkeys(sentence for _, sentence in KINDS.values()),
)
"""What may be said of an archive with bytes changed anywhere."""


def lying_bomb(rng: random.Random) -> Part:
    """Few bytes by their word, and by far too many once they are expanded."""
    part = Part(b"x", bytes(rng.randint(10, 1000)))
    part.packed = bomb()
    return part


def flipped(rng: random.Random, data: bytes) -> tuple[str, bytes]:
    """Bytes changed, left out, put in or swapped, anywhere."""
    changed = bytearray(data)
    at, other = sorted(rng.randrange(len(data)) for _ in range(2))
    way = rng.choice(["flipped", "flipped", "flipped", "cut off", "cut out", "put in", "repeated", "swapped", "zeroed"])
    match way:
        case "flipped":
            for _ in range(rng.randint(1, 4)):
                changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        case "cut off":
            del changed[at:]
        case "cut out":
            del changed[at : at + rng.randint(1, 40)]
        case "put in":
            changed[at:at] = rng.randbytes(rng.randint(1, 40))
        case "repeated":
            changed[at:at] = changed[at:other]
        case "swapped":
            changed[at:other] = changed[at:other][::-1]
        case _:
            changed[at : at + rng.randint(1, 40)] = bytes(rng.randint(1, 40))
    return way, bytes(changed)


def archives(seed: int) -> Iterator[tuple[str, bytes, dict[str, bytes]]]:
    """Kind, archive, and what was in it before."""
    rng = random.Random(seed)
    for kind, (mutate, _) in KINDS.items():
        for _ in range(EACH):
            plan = good(rng)
            before = tree(plan)
            mutate(rng, plan)
            yield kind, plan.write(), before
    for _ in range(FLIPPED):
        plan = good(rng)
        way, data = flipped(rng, plan.write())
        yield way, data, tree(plan)


def watched(place: Path) -> dict[str, bytes]:
    """Everything below a place, with a file's bytes."""
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in place.rglob("*")}


def judged(data: bytes, before: dict[str, bytes], place: Path) -> dict[str, Any]:
    """What became of an archive: its refusal or "", what it did that it must not, and how many calls that took."""
    around_it = watched(place)
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event.endswith("call")

    into = place / "store" / "bot"
    refusal, wrong = "", ""
    sys.setprofile(count)
    try:
        extract(data, into, LIMITS)
    except ArchiveError as error:
        refusal = str(error)
    except BaseException as error:
        wrong = f"raised {type(error).__name__}: {error}"
    finally:
        sys.setprofile(None)
    written = {name: body for name, body in watched(place).items() if name not in around_it or around_it[name] != body}
    found = {str(Path(name).relative_to(into)): body for name, body in written.items() if Path(name).is_file()}
    if refusal and written:
        wrong = f"left {sorted(written)}"
    elif not refusal and not wrong and found != before:
        wrong = "was taken, and holds something else than before"
    shutil.rmtree(into, ignore_errors=True)
    return {"refusal": refusal, "wrong": wrong, "calls": calls}


def main() -> None:
    made = list(archives(seed=5))
    bomb.cache_clear()
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, size + ROOM))
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "store").mkdir()
        for neighbour in (place / "x.py", place / "store" / "x.py", place / "store" / "passwd"):
            neighbour.write_text("the neighbour's")
        for kind, data, before in made:
            print(json.dumps({"kind": kind, **judged(data, before, place)}))


if __name__ == "__main__":
    main()

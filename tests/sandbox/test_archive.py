"""Archives: what goes in comes out, equal folders give equal bytes, anything unusual is refused with a sentence."""

import io
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.archive import (
    ArchiveError,
    ArchiveLimits,
    content_hash,
    contents,
    extract,
    pack,
    parse_manifest,
    read_manifest,
)

MANIFEST = b'name = "lucky"\nentry = "main.py"\ngames = ["whist"]\n'
SMALL = ArchiveLimits(archive_mib=1, expanded_mib=2, files=20, path_bytes=60)

_part = st.text("abcxyz0189_- é", min_size=1, max_size=6).filter(lambda part: part.strip() == part)
_path = st.lists(_part, min_size=1, max_size=3).map(lambda parts: "/".join([*parts[:-1], f"{parts[-1]}.txt"]))
trees = st.dictionaries(_path, st.binary(max_size=200), max_size=8).map(
    lambda tree: {"bot.toml": MANIFEST, "main.py": b"print(1)\n", **tree}
)

on_disk = settings(deadline=None, max_examples=40)


def write(tree: dict[str, bytes], folder: Path) -> Path:
    for name, body in tree.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(body)
    return folder


def read(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, body in entries:
            archive.writestr(name, body)
    return out.getvalue()


@on_disk
@given(trees)
def test_a_packed_folder_comes_out_as_it_went_in(tree: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as place:
        data = pack(write(tree, Path(place, "in")))
        assert contents(data) == tree
        extract(data, Path(place, "out"))
        assert read(Path(place, "out")) == tree


@on_disk
@given(trees, st.randoms())
def test_equal_folders_give_equal_bytes_whenever_and_in_whatever_order_they_were_written(tree, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(tree.items())
    random.shuffle(shuffled)
    with tempfile.TemporaryDirectory() as place:
        first = write(tree, Path(place, "first"))
        second = write(dict(shuffled), Path(place, "second"))
        os.utime(second / "main.py", (1, 1))
        assert pack(first) == pack(second)


@settings(deadline=None)
@given(trees, st.randoms())
def test_the_hash_is_of_what_is_inside_not_of_the_zip(tree, random) -> None:  # type: ignore[no-untyped-def]
    expected = content_hash(zipped(*tree.items()))
    shuffled = list(tree.items())
    random.shuffle(shuffled)
    assert content_hash(zipped(*shuffled, method=zipfile.ZIP_STORED)) == expected
    assert content_hash(zipped(*((f"top/{name}", body) for name, body in shuffled))) == expected
    assert content_hash(zipped(("__MACOSX/._x", b"junk"), (".DS_Store", b"junk"), *shuffled)) == expected
    changed = {**tree, "main.py": tree["main.py"] + b"#"}
    assert content_hash(zipped(*changed.items())) != expected


def test_the_hash_keeps_names_and_bodies_apart() -> None:
    assert content_hash(zipped(("a", b"bc"))) != content_hash(zipped(("ab", b"c")))


def test_pack_leaves_at_home_what_no_bot_needs(tmp_path: Path) -> None:
    write({"bot.toml": MANIFEST, "main.py": b""}, tmp_path)
    write({".git/HEAD": b"x", ".env": b"SECRET=1", "__pycache__/main.pyc": b"x", "lib/old.pyc": b"x"}, tmp_path)
    assert contents(pack(tmp_path)).keys() == {"bot.toml", "main.py"}


def test_extracted_files_are_readable_by_all_and_executable_by_nobody(tmp_path: Path) -> None:
    tool = zipfile.ZipInfo("deep/er/tool.sh")
    tool.external_attr = (stat.S_IFREG | 0o4777) << 16
    old_mask = os.umask(0o077)
    try:
        extract(zipped(("bot.toml", MANIFEST), (tool, b"#!/bin/sh\n")), tmp_path / "bot")
    finally:
        os.umask(old_mask)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "bot").rglob("*")}
    assert modes == {"bot.toml": 0o644, "deep": 0o755, "er": 0o755, "tool.sh": 0o644}


def test_nothing_is_written_when_anything_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError):
        extract(zipped(("good.py", b"x"), ("../bad.py", b"x")), tmp_path / "bot")
    assert not (tmp_path / "bot").exists()


def test_a_folder_that_is_not_empty_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(ArchiveError, match="not empty; name a new folder"):
        extract(zipped(("bot.toml", MANIFEST)), tmp_path)


FULL = """
import resource, signal, sys
from pathlib import Path
from sandbox.archive import extract
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
extract(Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]))
"""


def test_nothing_is_left_when_a_file_cannot_be_written(tmp_path: Path) -> None:
    archive, into = tmp_path / "bot.zip", tmp_path / "bot"
    archive.write_bytes(zipped(("bot.toml", MANIFEST), ("large.bin", bytes(5000)), ("main.py", b"")))
    done = subprocess.run([sys.executable, "-c", FULL, archive, into], capture_output=True, text=True, check=False)
    assert "File too large" in done.stderr
    assert not into.exists()


def test_an_archive_in_an_archive_is_a_file_like_others() -> None:
    bomb = zipped(("zeros", bytes(100 << 20)))
    nested = zipped(("bomb.zip", bomb))
    files = contents(zipped(("bot.toml", MANIFEST), ("nested.zip", nested)), SMALL)
    assert files == {"bot.toml": MANIFEST, "nested.zip": nested}


class Pipe(io.RawIOBase):
    """Takes bytes and cannot go back, so that sizes are written behind the files."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, more: Any) -> int:
        self.data += bytes(more)
        return len(more)


def test_archives_that_were_written_in_one_go_are_read_too() -> None:
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.toml", MANIFEST)
        archive.mkdir("lib")
        archive.writestr("lib/é.py", b"x" * 1000)
    assert contents(pipe.data) == {"bot.toml": MANIFEST, "lib/é.py": b"x" * 1000}


def of_kind(name: str, kind: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = (kind | 0o644) << 16
    return entry


def doubled() -> bytes:
    with pytest.warns(UserWarning, match="Duplicate name"):
        return zipped(("a.py", b"1"), ("a.py", b"2"))


def with_flag(bit: int) -> bytes:
    data = bytearray(zipped(("a.py", b"print(1)")))
    data[6:8] = (int.from_bytes(data[6:8], "little") | bit).to_bytes(2, "little")
    place = data.index(b"PK\x01\x02") + 8
    data[place : place + 2] = (int.from_bytes(data[place : place + 2], "little") | bit).to_bytes(2, "little")
    return bytes(data)


def renamed(old: bytes, new: bytes) -> bytes:
    return zipped((old.decode(), b"x")).replace(old, new)


def overlapping() -> bytes:
    """Two entries in the list of files that point at the same bytes: the way to expand a little to a lot."""
    data = zipped(("a.py", b"x" * 100))
    listed = data[data.index(b"PK\x01\x02") : data.index(b"PK\x05\x06")]
    end = bytearray(data[data.index(b"PK\x05\x06") :])
    end[8:12] = (2).to_bytes(2, "little") * 2
    end[12:16] = (2 * len(listed)).to_bytes(4, "little")
    return data[: data.index(b"PK\x01\x02")] + listed + listed.replace(b"a.py", b"b.py") + bytes(end)


def lying_about_size(claimed: int) -> bytes:
    """A deflated entry whose both headers claim another length."""
    body = b"\0" * 100_000
    return zipped(("a.py", body)).replace(len(body).to_bytes(4, "little"), claimed.to_bytes(4, "little"))


def with_other_local_name() -> bytes:
    data = zipped(("a.py", b"x"))
    return data.replace(b"a.py", b"b.py", 1)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "absolute path": (lambda: zipped(("/etc/passwd", b"x")), "is absolute"),
    "dots upwards": (lambda: zipped(("../x.py", b"x")), "leads out of the archive"),
    "dots inside": (lambda: zipped(("a/../../x.py", b"x")), "leads out of the archive"),
    "single dot": (lambda: zipped(("./x.py", b"x")), "an empty part or '.'"),
    "empty part": (lambda: zipped(("a//x.py", b"x")), "an empty part or '.'"),
    "backslash": (lambda: zipped(("a\\x.py", b"x")), "backslash"),
    "drive letter": (lambda: zipped(("C:x.py", b"x")), "drive letter"),
    "symbolic link": (lambda: zipped((of_kind("x", stat.S_IFLNK), b"/etc/passwd")), "is a link"),
    "fifo": (lambda: zipped((of_kind("x", stat.S_IFIFO), b"")), "neither a plain file nor a folder"),
    "character device": (lambda: zipped((of_kind("x", stat.S_IFCHR), b"")), "neither a plain file nor a folder"),
    "block device": (lambda: zipped((of_kind("x", stat.S_IFBLK), b"")), "neither a plain file nor a folder"),
    "socket": (lambda: zipped((of_kind("x", stat.S_IFSOCK), b"")), "neither a plain file nor a folder"),
    "folder in disguise": (lambda: zipped((of_kind("x", stat.S_IFDIR), b"")), "neither a plain file nor a folder"),
    "folder with bytes": (lambda: zipped(("x/", b"payload")), "carries bytes of its own"),
    "double": (doubled, "in the archive twice"),
    "case collision": (lambda: zipped(("a.py", b"1"), ("A.py", b"2")), "differ only in case"),
    "case collision of folders": (lambda: zipped(("lib/a", b"1"), ("LIB/b", b"2")), "differ only in case"),
    "collision of accents": (lambda: zipped(("\u00e9.py", b"1"), ("e\u0301.py", b"2")), "differ only in case"),
    "file and folder": (lambda: zipped(("a", b"1"), ("a/b", b"2")), "both a file and a folder"),
    "encrypted": (lambda: with_flag(0x1), "encrypted"),
    "strongly encrypted": (lambda: with_flag(0x40), "encrypted"),
    "unusual method": (lambda: zipped(("a", b"1"), method=zipfile.ZIP_LZMA), "compressed in an unusual way"),
    "control character": (lambda: zipped(("a\n.py", b"x")), "control or invisible"),
    "zero byte": (lambda: renamed(b"a.txt", b"a\0txt"), "control or invisible"),
    "invisible character": (lambda: zipped(("a\u202eb.py", b"x")), "control or invisible"),
    "not UTF-8, said to be": (lambda: renamed("é.py".encode(), b"\xff\xfe.py"), "not UTF-8"),
    "not UTF-8": (lambda: renamed(b"aa.py", b"\xff\xfe.py"), "not UTF-8"),
    "long name": (lambda: zipped(("a" * 61, b"x")), "longer than 60 bytes"),
    "too many files": (lambda: zipped(*((f"{n}.py", b"") for n in range(21))), "more than 20 files"),
    "endless list": (lambda: zipped(*((f"{n}/", b"") for n in range(41))), "lists 41 files and folders"),
    "too many bytes": (lambda: os.urandom(1 << 20) + b"x", "larger than 1 MiB"),
    "bomb": (lambda: zipped(("a", bytes(3 << 20))), "expands to more than 2 MiB"),
    "bomb in parts": (lambda: zipped(("a", bytes(1 << 20)), ("b", bytes((1 << 20) + 1))), "expands to more than 2 MiB"),
    "overlapping entries": (overlapping, "another name in the archive's list"),
    "smaller than it says": (lambda: lying_about_size(200_000), "not as long as"),
    "larger than it says": (lambda: lying_about_size(10), "not as long as"),
    "two names": (with_other_local_name, "another name in the archive's list"),
    "bytes in front": (lambda: b"#!/bin/sh\n" + zipped(("a", b"1")), "list of files is not where its end says"),
    "not a zip": (lambda: b"hello", "its end is missing"),
    "nothing": (lambda: b"", "its end is missing"),
    "cut off": (lambda: zipped(("a", b"1" * 5000))[:-30], "its end is missing"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_with_a_sentence(name: str, tmp_path: Path) -> None:
    make, sentence = HOSTILE[name]
    data = make()
    with pytest.raises(ArchiveError, match=sentence) as caught:
        contents(data, SMALL)
    text = str(caught.value)
    assert text.endswith(".")
    assert ";" in text, "it says what to do"
    with pytest.raises(ArchiveError):
        extract(data, tmp_path / "out", SMALL)
    assert not list(tmp_path.iterdir())


@settings(deadline=None)
@given(trees, st.data())
def test_a_damaged_archive_is_refused_or_still_sound_and_never_anything_else(
    tree: dict[str, bytes], draw: st.DataObject
) -> None:
    data = bytearray(zipped(*tree.items()))
    for _ in range(draw.draw(st.integers(1, 4))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    try:
        files = contents(bytes(data))
    except ArchiveError:
        return
    assert all(not name.startswith("/") and ".." not in name.split("/") for name in files)


@pytest.mark.parametrize(
    "name", ["arena/__init__.py", "engine.py", "Sandbox/x.py", "bots.cpython-311-x86_64-linux-gnu.so"]
)
def test_a_bot_may_not_hide_the_arenas_own_modules(name: str, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="hides the arena's own module"):
        extract(zipped(("bot.toml", MANIFEST), (name, b"")), tmp_path / "out")
    write({"bot.toml": MANIFEST, name: b""}, tmp_path / "in")
    with pytest.raises(ArchiveError, match="hides the arena's own module"):
        pack(tmp_path / "in")


def test_harmless_likenesses_of_the_arenas_modules_are_allowed(tmp_path: Path) -> None:
    extract(zipped(("bot.toml", MANIFEST), ("engine.txt", b""), ("my/engine.py", b"")), tmp_path / "out")


@pytest.mark.parametrize("make", [Path.symlink_to, lambda path, target: os.mkfifo(path)])
def test_pack_refuses_links_and_special_files(make: Callable[[Path, Path], None], tmp_path: Path) -> None:
    write({"bot.toml": MANIFEST}, tmp_path)
    make(tmp_path / "odd", Path("/etc/passwd"))
    with pytest.raises(ArchiveError, match=r"is a link|not a plain file"):
        pack(tmp_path)


def test_a_manifest_reads_the_same_from_a_folder_and_from_its_archive(tmp_path: Path) -> None:
    write({"bot.toml": MANIFEST + b'batch = 8\nversion = "2.1"\n', "main.py": b""}, tmp_path)
    manifest = read_manifest(tmp_path)
    assert (manifest.name, manifest.entry, manifest.games) == ("lucky", "main.py", ("whist",))
    assert (manifest.batch, manifest.version) == (8, "2.1")
    assert read_manifest(pack(tmp_path)) == manifest


MANIFESTS = {
    "unknown key": (
        MANIFEST + b"gamez = []",
        "unknown key 'gamez'; valid keys are 'name', 'entry', 'games', 'batch' and",
    ),
    "missing key": (b'name = "x"\nentry = "main.py"', "lacks the key 'games'"),
    "not TOML": (b"name = ", "not TOML"),
    "not UTF-8": (b'name = "\xff"', "not TOML in UTF-8"),
    "long": (MANIFEST + b"#" * 20_000, "longer than 16 KiB"),
    "name with capitals": (MANIFEST.replace(b"lucky", b"Lucky"), "'name' in bot.toml must be"),
    "name is a number": (MANIFEST.replace(b'"lucky"', b"7"), "'name' in bot.toml must be"),
    "entry upwards": (MANIFEST.replace(b"main.py", b"../main.py"), "'entry' in bot.toml must be"),
    "entry is an option": (MANIFEST.replace(b"main.py", b"-m.py"), "'entry' in bot.toml must be"),
    "entry is nothing": (MANIFEST.replace(b"main.py", b""), "'entry' in bot.toml must be"),
    "no games": (MANIFEST.replace(b'["whist"]', b"[]"), "must be a list of at least one"),
    "games is a text": (MANIFEST.replace(b'["whist"]', b'"whist"'), "must be a list of at least one"),
    "a game twice": (MANIFEST.replace(b'["whist"]', b'["whist", "whist"]'), "names a game twice"),
    "batch is true": (MANIFEST + b"batch = true", "'batch' in bot.toml must be a whole number"),
    "batch is large": (MANIFEST + b"batch = 257", "'batch' in bot.toml must be a whole number"),
    "version is a number": (MANIFEST + b"version = 2", "'version' in bot.toml must be a text"),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_wrong_manifest_is_refused_with_a_sentence(name: str) -> None:
    text, sentence = MANIFESTS[name]
    with pytest.raises(ArchiveError, match=sentence):
        parse_manifest(text)


def test_an_absent_manifest_or_entry_point_is_told(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"there is no bot.toml at the top; write one with"):
        read_manifest(zipped(("main.py", b"")))
    write({"bot.toml": MANIFEST}, tmp_path)
    with pytest.raises(ArchiveError, match=r"'main.py' is not in the bot's folder"):
        read_manifest(tmp_path)
    shutil.rmtree(tmp_path)
    with pytest.raises(ArchiveError, match="is not a folder"):
        pack(tmp_path)

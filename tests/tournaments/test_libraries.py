"""What a bot in Python may import in a cell, and what it may not."""

import importlib.metadata
import re
from pathlib import Path

import pytest

from arena.tournaments import check, libraries
from arena.tournaments.cells import box_of
from sandbox.box import Limits
from sandbox.host import NoCellError, detect
from sandbox.runner import CellError, start

ROOM = Path(__file__).parents[2]

try:
    HOST = detect()
except NoCellError as error:
    pytest.skip(f"no cells on this host: {error}", allow_module_level=True)

LISTED = [
    "arena.bot",
    "arena.codec",
    "arena.v1.play_pb2_grpc",
    "engine",
    "google.protobuf",
    "grpc",
    "numpy",
    "typing_extensions",
]
OTHERS = [
    "arena.referee",
    "arena.store",
    "arena.tournaments",
    "bots",
    "celery",
    "google.rpc",
    "pip",
    "psycopg",
    "sandbox",
]

IMPORTING = """
import importlib, os, sys
for name in {names!r}:
    try:
        print(name, "is in", importlib.import_module(name).__file__)
    except ImportError as error:
        print(name, "is not there:", error)
for folder in ("/kit/arena", "/kit/google"):
    print(sorted(set(os.listdir(folder)) - {{"__pycache__"}}))
print(sys.path)
"""

WITH_A_MODEL = """
import numpy as np
from arena.bot import Turn, run

weights = np.load("model.npz")["weights"]

def choose(turn: Turn) -> int:
    return turn.legal[int(np.argmax(weights[: len(turn.legal)] @ weights[0]))]

if __name__ == "__main__":
    print("a model of", weights.shape, "by numpy", np.__version__, flush=True)
    run(choose, name="model", games=["minus_one"])
"""


def write_bot(folder: Path, code: str, name: str = "imports") -> Path:
    folder.mkdir(mode=0o755, exist_ok=True)
    (folder / "main.py").write_text(code)
    (folder / "bot.toml").write_text(f'name = "{name}"\nentry = "main.py"\ngames = ["minus_one"]\n')
    return folder


def said_by(folder: Path, seat: Path) -> list[str]:
    seat.mkdir()
    ended = start(box_of(folder, seat, 0, Limits()), HOST, {"PYTHONPATH": libraries.KIT}).stop(20_000)
    return ended.log.decode().splitlines()


def test_a_bot_imports_what_is_on_the_list_and_nothing_else_of_the_installation(short_dir: Path) -> None:
    code = IMPORTING.format(names=[*LISTED, *OTHERS])
    *said, arena, google, path = said_by(write_bot(short_dir / "bot", code), short_dir / "seat")
    for name, line in zip(LISTED, said, strict=False):
        assert line.startswith(f"{name} is in {libraries.KIT}/{name.replace('.', '/')}")
    for name, line in zip(OTHERS, said[len(LISTED) :], strict=True):
        assert line.startswith(f"{name} is not there: No module named ")
    assert (arena, google) == ("['__init__.py', 'bot', 'codec', 'v1']", "['_upb', 'protobuf']")
    assert path.startswith("['/bot', '/kit', ")
    assert "-packages" not in path


def test_a_bot_with_numpy_and_a_model_of_some_mib_passes_the_check(tmp_path: Path) -> None:
    import numpy as np

    folder = write_bot(tmp_path / "model", WITH_A_MODEL, "model")
    np.savez(folder / "model.npz", weights=np.random.default_rng(1).random((512, 2048), np.float32))
    assert (folder / "model.npz").stat().st_size > 4 << 20
    verdict = check.check_folder(folder)
    assert (verdict.admitted, verdict.reason) == (True, "")
    assert f"a model of (512, 2048) by numpy {importlib.metadata.version('numpy')}" in verdict.log


def test_a_library_comes_with_what_is_compiled_of_it() -> None:
    places = [place for _, place in libraries.library_binds()]
    assert [place for place in places if place.startswith(f"{libraries.KIT}/__pycache__/typing_extensions.")]


def test_a_library_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(libraries.LIBRARIES, "no-such-library", ("nothing",))
    with pytest.raises(CellError, match=r"bots may import no-such-library, .* pip install 'card-arena\[server\]'\."):
        box_of(write_bot(tmp_path / "bot", ""), tmp_path, 0, Limits())


def test_the_guide_lists_every_library_and_the_oldest_version_that_it_may_have() -> None:
    guide = (ROOM / "docs" / "writing-a-bot.md").read_text()
    rows = dict(re.findall(r"^\| `([\w.]+)` \| [^|]+ \| (\d[\d.]*) \|$", guide, re.MULTILINE))
    assert rows.keys() == libraries.LIBRARIES.keys()
    for name, version in libraries.versions().items():
        oldest, installed = ([int(part) for part in text.split(".")[:2]] for text in (rows[name], version))
        assert oldest[0] == installed[0]
        assert oldest <= installed

"""What a room must not know: other rooms' words, and packages that its users do not have."""

import ast
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine

ROOT = Path(__file__).parent.parent
ALLOWED = (ROOT / "arena" / "v1", ROOT / "arena" / "codec")


def modules_without_games() -> list[Path]:
    """Every module of arena/ and sandbox/ where no game may be named."""
    paths = [*(ROOT / "arena").rglob("*.py"), *(ROOT / "sandbox").rglob("*.py")]
    return [path for path in paths if not any(path.is_relative_to(room) for room in ALLOWED)]


def words(path: Path) -> Iterator[tuple[int, str]]:
    """Identifiers and string literals of a module with their lines; docstrings count too."""
    for node in ast.walk(ast.parse(path.read_text())):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word) | ast.alias(name=word):
                yield line, word
            case ast.FunctionDef(name=word) | ast.AsyncFunctionDef(name=word) | ast.ClassDef(name=word):
                yield line, word
            case ast.Constant(value=str(word)):
                yield line, word


def test_no_game_is_named_outside_its_rooms() -> None:
    # The id "minus" is also an English word and an operator's name; as an identifier or a whole literal it is the game.
    named = []
    for path in modules_without_games():
        for line, word in words(path):
            parts = word.replace(".", " ").split()
            if any(game in parts for game in engine.GAMES):
                named.append(f"{path.relative_to(ROOT)}:{line}: {word[:60]!r}")
    assert named == []


def test_the_kit_and_the_engine_need_nothing_but_grpc_and_protobuf(tmp_path: Path) -> None:
    for package in ("grpc", "typing_extensions", "google.protobuf"):
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        target = tmp_path.joinpath(*package.split("."))
        target.parent.mkdir(exist_ok=True)
        if origin.name == "__init__.py":
            target.symlink_to(origin.parent)
        else:
            target.with_suffix(".py").symlink_to(origin)
    for package in ("arena", "engine"):
        (tmp_path / package).symlink_to(ROOT / package)

    def alone(program: str) -> subprocess.CompletedProcess[str]:
        program = f"import sys; sys.path.append({str(tmp_path)!r}); {program}"
        return subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False)

    done = alone("import arena.bot, engine; engine.load('callbreak')")
    assert done.returncode == 0, done.stderr
    refused = alone("import arena.__main__; arena.__main__.run()")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("arena: only the kit for bots is installed here")
    assert refused.stderr.endswith("pip install 'card-arena[server]'\n")


@pytest.mark.parametrize("room", ["engine", "arena/referee/match.py", "arena/referee/clock.py", "arena/ratings/elo.py"])
def test_pure_rooms_import_no_edge(room: str) -> None:
    edges = {"asyncio", "time", "socket", "os", "grpc", "psycopg", "celery"}
    path = ROOT / room
    for module in path.rglob("*.py") if path.is_dir() else [path]:
        for node in ast.walk(ast.parse(module.read_text())):
            match node:
                case ast.Import(names=names):
                    imported = {name.name.partition(".")[0] for name in names}
                case ast.ImportFrom(module=str(name)):
                    imported = {name.partition(".")[0]}
                case _:
                    continue
            assert not imported & edges, f"{module.relative_to(ROOT)}:{node.lineno}"

"""What a hosted bot in Python may import, besides Python's own library, and where a cell finds it. Knows no cell and no
bot."""

import importlib.metadata
from importlib.util import cache_from_source
from pathlib import Path

import arena
import engine
from sandbox.box import Bind

KIT = "/kit"
"""Where a cell has all of it; its PYTHONPATH."""

LIBRARIES = {
    "grpcio": ("grpc",),
    "numpy": ("numpy", "numpy.libs"),
    "protobuf": ("google/protobuf", "google/_upb"),
    "typing_extensions": ("typing_extensions.py",),
}
"""Packages of others by the names under which they are installed, and what is theirs. A place that an installation
does not have, such as the libraries beside numpy, is done without."""

OURS = ("arena/__init__.py", "arena/bot", "arena/codec", "arena/v1", "engine")
"""The kit, with what it needs."""

COMPILED = ("engine__mypyc", "codec__mypyc")
"""What lies beside the compiled parts of ours."""


class MissingLibraryError(Exception):
    """This installation lacks a library of the list; the text says what to do."""


def versions() -> dict[str, str]:
    """The version of every library of others, as it is installed here.

    :raises MissingLibraryError: if one is not.
    """
    return {name: _find(name).version for name in LIBRARIES}


def library_binds() -> tuple[Bind, ...]:
    """Every library, and nothing else of this installation, at :data:`KIT`.

    :raises MissingLibraryError: if one is not installed.
    """
    found: dict[str, Path] = {}
    for name, places in LIBRARIES.items():
        distribution = _find(name)
        found |= {place: Path(str(distribution.locate_file(place))) for place in places}
    rooms, rules = Path(arena.__file__).parents[1], Path(engine.__file__).parents[1]
    found |= {place: (rules if place == "engine" else rooms) / place for place in OURS}
    found |= {path.name: path for stem in COMPILED for path in rules.glob(f"{stem}.*")}
    # A folder brings what is compiled of it along. A cell cannot write, and would compile a lone module at every start.
    lone = {place: path for place, path in found.items() if path.suffix == ".py"}
    found |= {cache_from_source(place): Path(cache_from_source(path)) for place, path in lone.items()}
    return tuple((str(path), f"{KIT}/{place}") for place, path in found.items() if path.exists())


def _find(name: str) -> importlib.metadata.Distribution:
    try:
        return importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        raise MissingLibraryError(
            f"bots may import {name}, and it is not installed here; install it: pip install 'card-arena[server]'."
        ) from None

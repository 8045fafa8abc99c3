"""The Python that runs this, as a cell has it: the interpreter and its own library, without a single package. Knows no
bot, and no package by name."""

import os
import site
import sys
from pathlib import Path

from sandbox.box import Bind

_BASE = {sys.base_prefix, sys.base_exec_prefix}


def python_argv(*arguments: str) -> tuple[str, ...]:
    """The command that runs Python in a cell. It reads no .pth file and looks for packages only where PYTHONPATH says.

    A virtual environment's own Python is a link to another one, which runs here without the environment.
    """
    # Nothing public names it: `sys.executable` may be a copy that cannot run without its environment.
    base = sys._base_executable  # type: ignore[attr-defined]  # noqa: SLF001
    return (os.path.realpath(base), "-S", *arguments)


def python_binds() -> tuple[Bind, ...]:
    """The places of that Python, at their own paths.

    A copy elsewhere would not do: a shared-library Python looks for its library at the path it was built for.
    """
    places = _BASE | {os.path.realpath(place) for place in _BASE}
    return tuple((place, place) for place in sorted(places))


def packages() -> tuple[str, ...]:
    """The folders into which packages are installed for the Python that runs this: a cell shows them empty."""
    folders = site.getsitepackages([sys.prefix, sys.exec_prefix, *sorted(_BASE)])
    return tuple(sorted({os.path.realpath(folder) for folder in folders if Path(folder).is_dir()}))

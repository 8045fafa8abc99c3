"""Compiles the hot modules while a wheel is built, where there is a C compiler: the whole engine, the codec, and what
the referee runs for every decision. Everything else stands in pyproject.toml.

A development install (``pip install -e .``) is never compiled, because compiled modules would hide the edited source.
ARENA_COMPILE=0 leaves a wheel uncompiled, and ARENA_COMPILE=1 fails where it cannot be compiled.
"""

import os
import sys
import sysconfig
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import customize_compiler, new_compiler
from setuptools.errors import BaseError, CCompilerError

REFEREE = [
    "clock",
    "faults",
    "frames",
    "hub",
    "match",
    "meter",
    "plan",
    "player",
    "session",
    "stream",
    "tally",
    "watch",
]
GROUPS = {
    "engine": sorted(map(str, Path("engine").rglob("*.py"))),
    "codec": sorted(map(str, Path("arena/codec").glob("*.py"))),
    "referee": [f"arena/referee/{name}.py" for name in REFEREE],
}
"""Modules that are compiled together, and so call each other as C does. A bot loads the first two."""

# Lets the compiler inline the functions of a group in each other, as it would in a program.
INLINED = "-fno-semantic-interposition"


def compiled() -> list[Extension]:
    """The modules for mypyc; none when they stay Python."""
    asked = os.environ.get("ARENA_COMPILE", "")
    if "bdist_wheel" not in sys.argv or asked == "0":
        return []
    if not has_compiler():
        if asked == "1":
            sys.exit(
                "card-arena: ARENA_COMPILE=1 asks for compiled modules, and no C compiler with Python's headers works "
                "here. Install one, name it in CC, or leave ARENA_COMPILE unset for a wheel that stays Python."
            )
        sys.stderr.write("card-arena: no C compiler with Python's headers, so this wheel stays Python.\n")
        return []
    from mypyc.build import mypycify  # noqa: PLC0415 - a development install needs no mypyc

    sys.stderr.write("card-arena: engine, codec and referee of this wheel are compiled.\n")
    extensions: list[Extension] = []
    for group, modules in GROUPS.items():
        extensions += mypycify(modules, opt_level="3", group_name=group)
    if os.name == "posix":
        for extension in extensions:
            if INLINED not in extension.extra_compile_args:  # The extensions of a group share one list.
                extension.extra_compile_args.append(INLINED)
    return extensions


def has_compiler() -> bool:
    """Whether a C file that needs Python's headers compiles here."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text("#include <Python.h>\n")
        compiler = new_compiler()
        customize_compiler(compiler)
        try:
            compiler.compile([str(source)], output_dir=folder, include_dirs=[sysconfig.get_path("include")])
        except (BaseError, CCompilerError, OSError):
            return False
    return True


setup(ext_modules=compiled())

"""Compiles the engine while a wheel is built, where there is a C compiler. Everything else stands in pyproject.toml.

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

# Lets the compiler inline the engine's functions in each other, as it would in a program.
INLINED = "-fno-semantic-interposition"


def compiled_engine() -> list[Extension]:
    """The engine's modules for mypyc; none when it stays Python."""
    asked = os.environ.get("ARENA_COMPILE", "")
    if "bdist_wheel" not in sys.argv or asked == "0":
        return []
    if not has_compiler():
        if asked == "1":
            sys.exit(
                "card-arena: ARENA_COMPILE=1 asks for a compiled engine, and no C compiler with Python's headers works "
                "here. Install one, name it in CC, or leave ARENA_COMPILE unset for an engine that stays Python."
            )
        sys.stderr.write("card-arena: no C compiler with Python's headers, so the engine of this wheel stays Python.\n")
        return []
    from mypyc.build import mypycify  # noqa: PLC0415 - a development install needs no mypyc

    sys.stderr.write("card-arena: the engine of this wheel is compiled.\n")
    modules = sorted(map(str, Path("engine").rglob("*.py")))
    extensions: list[Extension] = mypycify(modules, opt_level="3", group_name="engine")
    if os.name == "posix":
        for extension in extensions:
            if INLINED not in extension.extra_compile_args:  # The extensions share one list.
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


setup(ext_modules=compiled_engine())

"""What a wheel is made of where there is no C compiler."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def _prepared(asked: str) -> subprocess.CompletedProcess[str]:
    """What the build script says when a wheel is asked for and the compiler is not there. It builds nothing."""
    nowhere = {**os.environ, "CC": "/nonexistent/cc", "ARENA_COMPILE": asked}
    command = [sys.executable, "setup.py", "--version", "bdist_wheel"]
    return subprocess.run(command, cwd=ROOT, env=nowhere, capture_output=True, text=True, check=False)


def test_without_a_compiler_the_engine_stays_python_and_the_build_says_so() -> None:
    done = _prepared("")
    assert done.returncode == 0
    assert "the engine of this wheel stays Python" in done.stderr


def test_a_compiled_engine_that_cannot_be_had_is_refused_in_a_sentence() -> None:
    done = _prepared("1")
    assert done.returncode == 1
    assert "Install one, name it in CC, or leave ARENA_COMPILE unset" in done.stderr
    assert "Traceback" not in done.stderr

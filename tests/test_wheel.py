"""What a wheel is made of: its modules where there is no C compiler, and the pages that a command prints."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import engine

ROOT = Path(__file__).parent.parent


def _prepared(asked: str) -> subprocess.CompletedProcess[str]:
    """What the build script says when a wheel is asked for and the compiler is not there. It builds nothing."""
    nowhere = {**os.environ, "CC": "/nonexistent/cc", "ARENA_COMPILE": asked}
    command = [sys.executable, "setup.py", "--version", "bdist_wheel"]
    return subprocess.run(command, cwd=ROOT, env=nowhere, capture_output=True, text=True, check=False)


def test_without_a_compiler_a_wheel_stays_python_and_the_build_says_so() -> None:
    done = _prepared("")
    assert done.returncode == 0
    assert "this wheel stays Python" in done.stderr


def test_a_compiled_wheel_that_cannot_be_had_is_refused_in_a_sentence() -> None:
    done = _prepared("1")
    assert done.returncode == 1
    assert "Install one, name it in CC, or leave ARENA_COMPILE unset" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wheel_is_built_with_the_pinned_tools_and_the_types_that_compiled_modules_are_checked_with() -> None:
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    pinned = {line.split(" ")[0] for line in (ROOT / "requirements.lock").read_text().splitlines()}
    assert set(requires) <= pinned
    assert {"mypy", "types-grpcio", "types-protobuf"} <= {package.partition("==")[0] for package in requires}


def test_a_wheel_has_the_rules_of_every_game(tmp_path: Path) -> None:
    # The steps of a wheel that lay out its files; they are imported from there, away from the checkout.
    built = tmp_path / "built"
    command = [sys.executable, "setup.py", "--quiet", "egg_info", "--egg-base", str(tmp_path)]
    command += ["build_py", "--build-lib", str(built)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    for game in engine.GAMES:
        page = built / "arena" / "rule_pages" / f"{game}.md"
        assert page.read_bytes() == (ROOT / "docs" / "rules" / f"{game}.md").read_bytes()
    program = f"import sys; sys.path.insert(0, {str(built)!r}); from arena.cli import main; main(['rules', 'minus'])"
    command = [sys.executable, "-I", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "(MN-31)" in done.stdout, done.stderr

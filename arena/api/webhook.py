"""Messages to owners over HTTP, from a thread of their own. Knows no referee and waits for none.

An owner may name any address, so none is asked that only this host or its network reaches: every address of the name is
looked at, the one that was looked at is the one that is dialled, and no redirect is followed.
"""

import contextlib
import http.client
import ipaddress
import json
import logging
import os
import socket
import ssl
import threading
from urllib.parse import SplitResult, urlsplit

import psycopg

from arena.errors import BadRequest, Unavailable
from arena.store import Connection, connect, webhooks
from arena.store.webhooks import Message

log = logging.getLogger("arena.webhook")

SILENCE_S = 3.0
"""How long one step of a message may take."""

LONGEST_S = 10.0
"""How long all of them may take."""

ERROR_LENGTH = 200
"""So much of what went wrong is kept: the other side may have written it."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def private_webhooks() -> bool:
    """Whether the operator allows messages to addresses of this host and its network."""
    return os.environ.get("ARENA_PRIVATE_WEBHOOKS") == "1"


def run(database_url: str, ending: threading.Event, every_s: float = 2.0) -> None:
    """Sends what is to be told until the event is set."""
    while not ending.wait(every_s):
        try:
            with connect(database_url) as connection:
                while not ending.wait(every_s):
                    while not ending.is_set() and deliver(connection, private=private_webhooks()):
                        pass
        except (Unavailable, psycopg.OperationalError) as error:
            log.warning("the database is away and is asked again: %s", error)
        except Exception:
            # Whatever one owner's server says must not keep the others from being told.
            log.exception("messages to owners failed, and go on")


def deliver(connection: Connection, *, private: bool) -> bool:
    """Whether there was a message to send. ``private`` allows addresses of this host and its network."""
    message = webhooks.take(connection)
    if message is None:
        return False
    error = ""
    try:
        post(message.url, body_of(message), private=private)
    except (BadRequest, OSError, http.client.HTTPException) as failure:
        error = _line(str(failure)) or type(failure).__name__
        log.info("the owner of %s could not be told: %s", message.bot, error, extra={"bot": message.bot})
    webhooks.settle(connection, message, error)
    return True


def body_of(message: Message) -> bytes:
    """The message as JSON."""
    notice = message.notice
    members = {
        "bot": message.bot,
        "what": notice.what,
        "match": notice.match,
        "seat": notice.seat,
        "kind": notice.kind,
        "reason": notice.reason,
        "count": notice.count,
        "lines": message.lines,
        "when": notice.noted_at.isoformat(),
    }
    return json.dumps(members).encode()


def post(url: str, body: bytes, *, private: bool) -> None:
    """Returns when the other side has taken it.

    :raises BadRequest: if the address cannot be used.
    :raises OSError: if nobody answers, or with anything but success.
    """
    parts, port, address = look_up(url, private=private)
    host = parts.hostname or ""
    connection = http.client.HTTPConnection(host, port, timeout=SILENCE_S)
    held = socket.create_connection((address, port), SILENCE_S)

    def hang_up() -> None:
        with contextlib.suppress(OSError):
            held.shutdown(socket.SHUT_RDWR)

    # The other side may send a byte now and then for ever.
    alarm = threading.Timer(LONGEST_S, hang_up)
    alarm.start()
    try:
        if parts.scheme == "https":
            held = ssl.create_default_context().wrap_socket(held, server_hostname=host)
        connection.sock = held
        path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        connection.request("POST", path, body, {"Content-Type": "application/json", "User-Agent": "card-arena"})
        status = connection.getresponse().status
        if not 200 <= status < 300:
            raise OSError(f"it answered with status {status}")
    finally:
        alarm.cancel()
        held.close()


def look_up(url: str, *, private: bool) -> tuple[SplitResult, int, str]:
    """The parts of the address, its port, and the numeric address to dial.

    :raises BadRequest: if it is no address for a message, or one that messages must not go to.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise BadRequest(f"'{url}' is no address: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
        raise BadRequest(f"'{url}' is no address; write it as https://HOST/PATH, without a password")
    if len(url) > 2048 or not (url.isascii() and url.isprintable()) or " " in url:
        raise BadRequest("the address must have at most 2048 printable ASCII characters and no space")
    try:
        found = [str(info[4][0]) for info in socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError) as error:
        raise BadRequest(f"'{parts.hostname}' has no address ({error}); look for a typing error") from error
    if not private and not all(map(is_public, found)):
        raise BadRequest(
            f"'{parts.hostname}' is an address of a private network; name one that the internet reaches, or ask the "
            f"operator to set ARENA_PRIVATE_WEBHOOKS=1"
        )
    return parts, port, found[0]


def _line(said: str) -> str:
    """What can be stored and logged of it. A server that speaks no HTTP is quoted in the error, NUL and all."""
    return "".join(sign if sign.isprintable() else " " for sign in said[:ERROR_LENGTH]).strip()


def is_public(address: str) -> bool:
    """Whether the internet reaches it, and it is no other address in disguise."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address) and (ip.ipv4_mapped or ip.sixtofour or ip.teredo or ip in _NAT64):
        return False
    return ip.is_global and not ip.is_multicast

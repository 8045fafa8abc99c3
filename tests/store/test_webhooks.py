"""Messages to owners: what is sent, how often, and where none goes."""

import http.server
import json
import socket
import threading
from collections.abc import Iterator

import pytest

from arena.api.webhook import ERROR_LENGTH, deliver, is_public, look_up
from arena.errors import BadRequest
from arena.store import Connection, notices, webhooks
from arena.store.notices import Played
from arena.store.people import User
from arena.store.webhooks import TRIES
from tests.tournaments.ground import make_version

OWNER = User("owner", False)
PRIVATE = (
    *("127.0.0.1", "localhost", "2130706433", "0x7f.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "224.0.0.1", "[::1]", "[fe80::1]", "[fd00::1]", "[::]", "[ff02::1]"),
    # The same in disguise.
    *("[::ffff:10.1.2.3]", "[64:ff9b::a01:203]", "[2002:a01:203::1]"),
)
NO_ADDRESSES = (
    *("ftp://8.8.8.8/", "//8.8.8.8/", "8.8.8.8", "http:///x", "http://ann:secret@8.8.8.8/", "http://8.8.8.8:x/"),
    *("http://8.8.8.8/a b", "http://8.8.8.8/\nx", f"http://8.8.8.8/{'x' * 2048}"),
)
BAD = Played("a match", 2, 3, True, "LATE", "No answer within 250 ms.")


class Listener(http.server.HTTPServer):
    """An owner's server. ``status`` is what it answers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = 200
        self.taken: list[tuple[str, dict[str, object]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/told?by=arena"


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Listener)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.taken.append((self.path, json.loads(body)))
        self.send_response(server.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def told(connection: Connection, listener: Listener) -> Connection:
    """A database with a bot whose owner is told at the listener; what was noted before is no news."""
    make_version(connection, "near", house=False)
    notices.note(connection, "near", [BAD])
    webhooks.set_webhook(connection, OWNER, "near", listener.url)
    return connection


def let_time_pass(connection: Connection) -> None:
    connection.execute("UPDATE webhooks SET due_at = now()")


def test_an_owner_is_told_once_a_minute_with_the_newest_line_and_how_many_there_are(
    told: Connection, listener: Listener
) -> None:
    assert not deliver(told, private=True)
    notices.note(told, "near", [BAD, BAD])
    assert deliver(told, private=True)
    ((path, said),) = listener.taken
    assert path == "/told?by=arena"
    assert str(said.pop("when")).startswith("20")
    expected = {"bot": "near", "what": "forfeit", "match": "a match", "seat": 2, "kind": "LATE", "count": 3, "lines": 2}
    assert said == {**expected, "reason": "No answer within 250 ms."}
    notices.note(told, "near", [BAD])
    assert not deliver(told, private=True)
    let_time_pass(told)
    assert deliver(told, private=True)
    assert listener.taken[-1][1]["count"] == 4
    webhooks.set_webhook(told, OWNER, "near", "")
    notices.note(told, "near", [BAD])
    assert not deliver(told, private=True)


@pytest.mark.parametrize("status", [302, 500])
def test_a_message_that_is_not_taken_is_tried_a_few_times_and_never_redirected(
    told: Connection, listener: Listener, status: int
) -> None:
    listener.status = status
    notices.note(told, "near", [BAD])
    for _ in range(TRIES):
        assert deliver(told, private=True)
        assert not deliver(told, private=True)
        let_time_pass(told)
    assert not deliver(told, private=True)
    assert [path for path, _ in listener.taken] == ["/told?by=arena"] * TRIES
    assert webhooks.find_webhook(told, "near") == (listener.url, f"it answered with status {status}")
    listener.status = 204
    notices.note(told, "near", [BAD])
    assert deliver(told, private=True)
    assert webhooks.find_webhook(told, "near") == (listener.url, "")


def test_a_server_that_speaks_no_http_is_quoted_in_a_short_line(told: Connection) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        webhooks.set_webhook(told, OWNER, "near", f"http://127.0.0.1:{server.getsockname()[1]}/")

        def answer() -> None:
            taken, _ = server.accept()
            with taken:
                taken.sendall(b"\0\x1b[2J" + b"x" * 10_000 + b"\n")
                while taken.recv(4096):
                    pass

        thread = threading.Thread(target=answer)
        thread.start()
        notices.note(told, "near", [BAD])
        assert deliver(told, private=True)
        thread.join()
    assert webhooks.find_webhook(told, "near")[1] == f"[2J{'x' * (ERROR_LENGTH - 5)}"


def test_an_address_that_has_become_private_gets_nothing(told: Connection, listener: Listener) -> None:
    notices.note(told, "near", [BAD])
    assert deliver(told, private=False)
    assert listener.taken == []
    assert "private network" in webhooks.find_webhook(told, "near")[1]


@pytest.mark.parametrize("host", PRIVATE)
def test_no_message_goes_to_a_private_address(host: str) -> None:
    with pytest.raises(BadRequest, match="private network"):
        look_up(f"http://{host}/", private=False)


@pytest.mark.parametrize("url", NO_ADDRESSES)
def test_what_is_no_address_is_told(url: str) -> None:
    with pytest.raises(BadRequest):
        look_up(url, private=True)


def test_a_public_address_is_dialled_as_it_was_looked_at() -> None:
    parts, port, address = look_up("https://8.8.8.8/path", private=False)
    assert (parts.path, port, address) == ("/path", 443, "8.8.8.8")
    assert is_public("2606:4700:4700::1111")

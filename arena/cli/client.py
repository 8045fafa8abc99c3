"""The command line's side of the API: finds the server and the token, turns refusals into sentences. Knows no command.

The address comes from ARENA_SERVER, else from `arena login`, else from the services that `arena up` runs on this host;
the token from ARENA_TOKEN, else from the same place as the address. ARENA_CA, else what was kept with the address, is
the file with the root certificates that its TLS is trusted by; without it the connection is plain.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
from grpc_status import rpc_status

from arena.bot.dial import UntrustedError, mistrust, open_channel
from arena.errors import ArenaError, BadRequest, NotLoggedIn, Unavailable

LOGIN_FILE = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "card-arena" / "login.json"


@dataclass(frozen=True, slots=True)
class Login:
    """Where to go and who is asking. ``ca`` is as in :func:`arena.bot.dial.open_channel`."""

    address: str
    token: str
    ca: str = ""


def find_login(data_dir: Path) -> Login:
    """The login for this command.

    :raises Unavailable: if no server is known.
    :raises NotLoggedIn: if there is no token for it.
    """
    saved = _read(LOGIN_FILE) or _read(data_dir / "login.json") or {}
    address = os.environ.get("ARENA_SERVER") or saved.get("address")
    if not address:
        raise Unavailable(
            "no server is known; start one with 'arena up', or set ARENA_SERVER, or run 'arena login ADDRESS'"
        )
    kept = saved if address == saved.get("address") else {}
    token = os.environ.get("ARENA_TOKEN") or kept.get("token")
    if not token:
        raise NotLoggedIn(f"there is no token for {address}; set ARENA_TOKEN or run 'arena login {address}'")
    if not (token.isascii() and token.isprintable()):
        raise NotLoggedIn(f"the token for {address} holds letters that no token has; copy it again")
    return Login(address, token, os.environ.get("ARENA_CA") or kept.get("ca", ""))


def find_login_in(file: Path) -> Login:
    """The login that is kept in a file.

    :raises NotLoggedIn: if there is none.
    """
    kept = _read(file)
    if kept is None:
        raise NotLoggedIn(f"{file} holds no login; start the services with 'arena up'")
    return Login(kept["address"], kept["token"])


def save_login(file: Path, login: Login) -> None:
    """Writes the login so that only its owner can read it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as out:
        json.dump({"address": login.address, "token": login.token, "ca": login.ca}, out)
    file.chmod(0o600)


class Server:
    """A channel and the metadata that goes with every call.

    :raises BadRequest: if the login's root certificates cannot be used.
    """

    def __init__(self, login: Login) -> None:
        self.address = login.address
        self.ca = login.ca
        try:
            self.channel = open_channel(login.address, login.ca)
        except UntrustedError as error:
            raise BadRequest(str(error)) from error
        self.metadata = (("authorization", f"Bearer {login.token}"),)


@contextmanager
def calls(server: Server) -> Iterator[None]:
    """Turns a refusal of the server into the sentence it came with.

    :raises ArenaError: if a call inside fails.
    """
    try:
        yield
    except grpc.RpcError as error:
        code = error.code()
        # Every refusal of ours brings its details along; without them nobody of ours has answered.
        if code == grpc.StatusCode.UNAVAILABLE and rpc_status.from_call(error) is None:
            if sentence := mistrust(error.details() or "", server.address, server.ca):
                raise Unavailable(sentence.rstrip(".")) from error
            raise Unavailable(
                f"no answer from {server.address}; is 'arena up' running there, and is the address right?"
            ) from error
        sentence = error.details() or f"the server answered {code.name}"
        if code == grpc.StatusCode.INVALID_ARGUMENT:
            raise BadRequest(sentence) from error
        raise ArenaError(sentence) from error


def _read(file: Path) -> dict[str, str] | None:
    try:
        content: dict[str, str] = json.loads(file.read_text())
    except (OSError, ValueError):
        return None
    return content

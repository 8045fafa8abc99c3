"""What a token may be used for, at the real server: every call, the command line and the kit."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FileDescriptor, MethodDescriptor
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from arena.api.quota import BOTS, BYTES, MATCHES, ROOMS
from arena.cli import main
from arena.cli.client import Login, Server
from arena.scopes import ORGANISE, PLAY, READ, SCOPES, SUBMIT
from arena.stack.services import Services
from arena.store import Connection, connect, people
from arena.v1 import (
    account_pb2,
    match_pb2,
    oversight_pb2,
    play_pb2,
    rating_pb2,
    room_pb2,
    submission_pb2,
    tournament_pb2,
)
from arena.v1.play_pb2_grpc import PlayServiceStub
from tests.referee.wire import Wire

ALLOWED = {
    "GetAccount": set(SCOPES),
    "CreateVersion": {SUBMIT},
    "GetVersion": {READ, SUBMIT},
    "ListBots": {READ},
    "GetBot": {READ, SUBMIT},
    "RetireBot": {SUBMIT},
    "ListNotices": {SUBMIT},
    "ListRuns": {SUBMIT},
    "GetRunLog": {SUBMIT},
    "EnableBot": {SUBMIT},
    "NotifyBot": {SUBMIT},
    "CreateTournament": {ORGANISE},
    "EnterTournament": {ORGANISE},
    "StartTournament": {ORGANISE},
    "GetTournament": {READ, ORGANISE},
    "ListTournaments": {READ},
    "PlanTournament": {ORGANISE},
    "GetStandings": {READ, ORGANISE},
    "ListBlocks": {READ, ORGANISE},
    "GetBalance": {READ, ORGANISE},
    "VoidBlocks": {ORGANISE},
    "RetryBlocks": {ORGANISE},
    "DisqualifyBot": {ORGANISE},
    "CancelTournament": {ORGANISE},
    "CloseTournament": {ORGANISE},
    "LeaveTournament": {ORGANISE},
    "ListAlarms": {READ, ORGANISE},
    "SettleAlarm": {ORGANISE},
    "ListActs": {READ, ORGANISE},
    "ListRatings": {READ},
    "ListLikelihoods": {READ},
    "ListRatingHistory": {READ},
    "ListSoftPlay": {READ},
    "GetLikelihoodMatrix": {READ},
    "GetHeadToHead": {READ},
    "ListMatches": {READ},
    "ListOpenMatches": {READ},
    "GetRecord": {READ},
    "PruneRecords": {ORGANISE},
    "PlayMatch": {PLAY},
    "CreateRoom": {PLAY},
    "ListRooms": {PLAY},
    "GetRoom": {READ, PLAY},
    "JoinRoom": {READ, PLAY},
    "LeaveRoom": {READ, PLAY},
    "StartRoom": {PLAY},
    "DeleteRoom": {PLAY},
    "GetRoomRecord": {READ, PLAY},
}
FILES: tuple[FileDescriptor, ...] = tuple(
    module.DESCRIPTOR
    for module in (account_pb2, match_pb2, oversight_pb2, rating_pb2, room_pb2, submission_pb2, tournament_pb2)
)
METHODS = [method for file in FILES for service in file.services_by_name.values() for method in service.methods]

BOT = """
from arena.bot import Turn, run

def choose(turn: Turn) -> int:
    return turn.legal[0]

if __name__ == "__main__":
    run(choose, name="checked", games=["callbreak"])
"""


@pytest.fixture
def people_of(services: Services) -> Iterator[Connection]:
    with connect(services.database_url) as connection:
        connection.execute("INSERT INTO users (name) VALUES ('holder') ON CONFLICT DO NOTHING")
        yield connection


def expired(connection: Connection) -> str:
    token = people.add_token(connection, "holder", "old", days=1)
    connection.execute("UPDATE tokens SET expires_at = '2026-01-02 03:00Z' WHERE label = 'old'")
    return token


def revoked(connection: Connection) -> str:
    token = people.add_token(connection, "holder", "lost")
    people.revoke_token(connection, "holder", people.holder(connection, token)[1].id)
    return token


def for_reading(connection: Connection) -> str:
    return people.add_token(connection, "holder", "reader", scopes=[READ])


def ask(server: Server, method: MethodDescriptor) -> grpc.RpcError | None:
    """How an empty request is refused; None if it is answered."""
    channel = server.channel
    open_call, request = (channel.stream_unary, iter(())) if method.client_streaming else (channel.unary_unary, b"")
    call: Any = open_call(f"/{method.containing_service.full_name}/{method.name}")
    try:
        call(request, metadata=server.metadata)
    except grpc.RpcError as error:
        return error
    return None


def info(refused: grpc.RpcError) -> tuple[str, str]:
    """Reason and domain of its ErrorInfo."""
    status: Any = rpc_status.from_call(refused)
    detail = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(detail)
    return detail.reason, detail.domain


@pytest.mark.parametrize("method", METHODS, ids=[method.name for method in METHODS])
def test_a_call_takes_a_token_with_its_scope(
    people_of: Connection, services: Services, method: MethodDescriptor
) -> None:
    taken = set()
    for scope in SCOPES:
        token = people.add_token(people_of, "holder", scopes=[scope])
        refused = ask(Server(Login(services.address, token)), method)
        if refused is None or f"is for {scope}, and this takes" not in (refused.details() or ""):
            taken.add(scope)  # though only admins may go on
        else:
            assert refused.code() is grpc.StatusCode.PERMISSION_DENIED
            assert info(refused) == ("NOT_ALLOWED", "card-arena")
    assert taken == ALLOWED[method.name]


@pytest.mark.parametrize(
    ("make", "sentence"), [(expired, r"\(old\) expired on 2026-01-02;"), (revoked, r"\(lost\) was revoked on 20")]
)
def test_no_call_is_answered_with_a_token_that_has_ended(
    people_of: Connection, services: Services, make: Callable[[Connection], str], sentence: str
) -> None:
    server = Server(Login(services.address, make(people_of)))
    for method in METHODS:
        refused = ask(server, method)
        assert refused is not None
        assert refused.code() is grpc.StatusCode.UNAUTHENTICATED
        assert re.search(sentence, refused.details() or "")
        assert info(refused) == ("NOT_LOGGED_IN", "card-arena")


@pytest.mark.parametrize(
    ("make", "code", "reason"),
    [
        (expired, grpc.StatusCode.UNAUTHENTICATED, "NOT_LOGGED_IN"),
        (revoked, grpc.StatusCode.UNAUTHENTICATED, "NOT_LOGGED_IN"),
        (for_reading, grpc.StatusCode.PERMISSION_DENIED, "NOT_ALLOWED"),
    ],
)
def test_a_bot_is_refused_as_every_call_is(
    people_of: Connection, services: Services, make: Callable[[Connection], str], code: grpc.StatusCode, reason: str
) -> None:
    server = Server(Login(services.address, make(people_of)))
    hello = play_pb2.PlayRequest(hello=play_pb2.Hello(bot="checked", protocol=1))
    with pytest.raises(grpc.RpcError) as refused:
        next(PlayServiceStub(server.channel).Play(iter([hello]), metadata=server.metadata))
    assert refused.value.code() is code
    assert info(refused.value) == (reason, "card-arena")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (expired, r"the token is not accepted: the token \w+ \(old\) expired on 2026-01-02; ask for another one: .*\n"),
        (revoked, r"the token is not accepted: the token \w+ \(lost\) was revoked on 20\d\d-\d\d-\d\d; ask .*\n"),
        (
            for_reading,
            r"the token may not play this bot: the token \w+ \(reader\) is for read, and this takes play; .*\n",
        ),
    ],
)
def test_the_kit_says_why_and_ends(
    people_of: Connection, services: Services, tmp_path: Path, make: Callable[[Connection], str], said: str
) -> None:
    program = tmp_path / "bot.py"
    program.write_text(BOT)
    environment = {**os.environ, "ARENA_SERVER": services.address, "ARENA_TOKEN": make(people_of)}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.fullmatch(rf"{services.address}: {said}", done.stderr)


def test_a_token_from_its_making_to_its_end(
    people_of: Connection, arena: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(arena)]
    people.add_user(people_of, "maker")
    made = ["user", "token", "maker", "--scope", "play", "--scope", "read", "--days", "90", "--label", "laptop"]
    assert main([*made, *data]) == 0
    token = capsys.readouterr().out.strip()
    monkeypatch.setenv("ARENA_TOKEN", token)
    assert main(["bot", "list", *data]) == 0
    capsys.readouterr()
    assert main(["tournament", "create", "--game", "callbreak", *data]) == 1
    assert "(laptop) is for read, play, and this takes organise;" in capsys.readouterr().err
    assert main(["user", "tokens", "maker", "--json", *data]) == 0
    shown = capsys.readouterr().out
    first, laptop = json.loads(shown)
    assert token not in shown
    assert (first["label"], first["expires"], first["used"]) == ("first", "never", "never")
    assert (laptop["label"], laptop["scopes"]) == ("laptop", "read play")
    assert laptop["made"] == laptop["used"] < laptop["expires"]
    assert main(["user", "revoke", "maker", laptop["id"], *data]) == 0
    assert capsys.readouterr().out == f"nobody is let in with the token {laptop['id']} any more\n"
    assert main(["bot", "list", *data]) == 1
    assert re.match(rf"arena: the token {laptop['id']} \(laptop\) was revoked on \S+; ask", capsys.readouterr().err)
    assert main(["user", "revoke", "maker", laptop["id"], *data]) == 1
    assert "'arena user tokens maker' shows their ids" in capsys.readouterr().err


def test_a_scope_that_there_is_not_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["user", "token", "maker", "--scope", "all"])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "read" in error
    assert error.count("\n") == 1


def test_whoami_and_login_show_user_token_and_quotas(
    people_of: Connection,
    services: Services,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    people.add_user(people_of, "asker")
    token = people.add_token(people_of, "asker", "desk", scopes=[PLAY], days=30)
    expires = people.holder(people_of, token)[1].expires_at
    assert expires is not None
    monkeypatch.setenv("ARENA_SERVER", services.address)
    monkeypatch.setenv("ARENA_TOKEN", token)
    monkeypatch.setattr("arena.cli.user.LOGIN_FILE", tmp_path / "login.json")

    async def connected() -> None:
        async with Wire(services.address, token, name="asked"):
            assert await asyncio.to_thread(main, ["whoami", "--json"]) == 0

    asyncio.run(connected())
    shown = json.loads(capsys.readouterr().out)
    assert (shown["user"], shown["admin"]) == ("asker", False)
    day = f"{expires.astimezone(UTC):%Y-%m-%d}"
    assert (shown["token"]["label"], shown["token"]["scopes"], shown["token"]["expires"]) == ("desk", ["play"], day)
    taken = {quota["quota"]: (quota["used"], quota["limit"]) for quota in shown["quotas"]}
    assert taken == {
        "connected bots": (1, BOTS),
        "open unrated matches": (0, MATCHES),
        "open rooms": (0, ROOMS),
        "received bytes": (0, BYTES),
    }
    assert main(["login", services.address]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"logged in at {services.address}")
    assert lines[1:3] == ["asker", f"token {shown['token']['id']} (desk): play; expires {day}"]
    assert [line.split()[:2] for line in lines[3:]] == [
        ["Quota", "Used"],
        ["connected", "bots"],
        ["open", "unrated"],
        ["open", "rooms"],
        ["received", "bytes"],
    ]

"""What the API refuses, and the sentence that it gives back. Everything goes through the real server."""

import functools
import io
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from arena.api.tournament import MOST_BOTS
from arena.cli import main
from arena.cli.bot import upload
from arena.cli.client import Login, Server, find_login_in
from arena.errors import ArenaError, BadRequest
from arena.stack.services import Services
from arena.store import connect, people
from arena.v1 import match_pb2, submission_pb2, tournament_pb2
from arena.v1.match_pb2_grpc import MatchServiceStub
from arena.v1.submission_pb2_grpc import SubmissionServiceStub
from arena.v1.tournament_pb2_grpc import TournamentServiceStub

MAIN = "def choose(turn):\n    return turn.legal[0]\n"


@pytest.fixture(scope="module")
def stranger(services: Services) -> Server:
    """Somebody who is not the admin."""
    with connect(services.database_url) as connection:
        token = people.add_user(connection, "stranger")
    return Server(Login(services.address, token))


@pytest.fixture(scope="module")
def admin(services: Services) -> Server:
    return Server(find_login_in(services.logins()[0]))


def bot_zip(name: str, manifest: str | None = None, **files: str) -> bytes:
    """An archive of a bot."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        text = manifest if manifest is not None else f'name = "{name}"\nentry = "main.py"\ngames = ["callbreak"]\n'
        archive.writestr("bot.toml", text)
        archive.writestr("main.py", MAIN)
        for path, content in files.items():
            archive.writestr(path, content)
    return out.getvalue()


@pytest.mark.parametrize("token", ["", "nobody-has-this-token"])
def test_without_a_token_that_somebody_has_nothing_is_answered(services: Services, token: str) -> None:
    server = Server(Login(services.address, token))
    with pytest.raises(grpc.RpcError) as refused:
        SubmissionServiceStub(server.channel).ListBots(submission_pb2.ListBotsRequest(), metadata=server.metadata)
    assert refused.value.code() == grpc.StatusCode.UNAUTHENTICATED
    status = rpc_status.from_call(refused.value)
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (info.reason, info.domain) == ("NOT_LOGGED_IN", "card-arena")


@pytest.mark.parametrize(
    ("archive", "sentence"),
    [
        (b"not a zip", "archive is refused"),
        (bot_zip("other"), "the manifest names 'other'"),
        (bot_zip("mine", 'name = "mine"\n'), "lacks the key"),
        (bot_zip("mine", 'name = "mine"\nentry = "main.py"\ngames = ["chess"]\n'), "the game 'chess'"),
        (bot_zip("mine", **{"../escape.py": "x"}), "archive is refused"),
        (bot_zip("mine", **{"engine.py": "x"}), "archive is refused"),
        (
            bot_zip("mine", 'name = "mine"\nentry = "tool"\ngames = ["callbreak"]\n', tool="#!/bin/sh\n"),
            "the entry point 'tool' is neither a Python file",
        ),
    ],
)
def test_a_bad_archive_is_refused_at_the_door(stranger: Server, archive: bytes, sentence: str) -> None:
    with pytest.raises(BadRequest, match=sentence):
        upload(stranger, "mine", archive)


def test_an_upload_that_breaks_off_is_refused(stranger: Server) -> None:
    def parts() -> Iterator[submission_pb2.CreateVersionRequest]:
        header = submission_pb2.VersionHeader(bot="mine", size=1000)
        yield submission_pb2.CreateVersionRequest(header=header)
        yield submission_pb2.CreateVersionRequest(chunk=b"x" * 10)

    with pytest.raises(grpc.RpcError) as refused:
        SubmissionServiceStub(stranger.channel).CreateVersion(parts(), metadata=stranger.metadata)
    assert refused.value.details() == "10 of 1,000 bytes came; upload it again"


def test_a_name_belongs_to_whoever_had_it_first(stranger: Server) -> None:
    with pytest.raises(ArenaError, match="belongs to house"):
        upload(stranger, "steady", bot_zip("steady"))


def test_a_repeated_request_makes_one_tournament(admin: Server) -> None:
    stub = TournamentServiceStub(admin.channel)
    request = tournament_pb2.CreateTournamentRequest(game="callbreak", request_id="the same one")
    first, second = (stub.CreateTournament(request, metadata=admin.metadata) for _ in range(2))
    assert first == second
    assert first.state == tournament_pb2.TOURNAMENT_STATE_OPEN
    assert len(first.commitment) == 32
    assert first.secret == b""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["create", "--game", "chess"], "There is no game 'chess'"),
        (["create", "--game", "callbreak", "--seats", "5"], "5 seats"),
        (["create", "--game", "callbreak", "--set", "deals=7"], "deals"),
        (["create", "Bad_Name", "--game", "callbreak"], "cannot name a tournament"),
        (["create", "--game", "callbreak", "--bots", "nobody"], "there is no bot 'nobody'"),
        (["create", "--game", "callbreak", "--clock", "fast"], "There is no clock 'fast'"),
        (["create", "--game", "callbreak", "--clock", "move=61s"], "move_ms is 61000; it can be at most 60000"),
        (["create", "few", "--game", "callbreak", "--bots", "steady", "bold"], "at least 4 bots"),
        (["show", "nothing"], "there is no tournament 'nothing'"),
        (["start", "nothing"], "there is no tournament 'nothing'"),
    ],
)
def test_a_tournament_that_cannot_be_is_one_line(
    arena: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["tournament", *words, "--data", str(arena)]) in (1, 2)
    assert sentence in capsys.readouterr().err


def test_a_request_names_no_more_bots_than_it_may(admin: Server) -> None:
    stub = TournamentServiceStub(admin.channel)
    made = stub.CreateTournament(tournament_pb2.CreateTournamentRequest(game="callbreak"), metadata=admin.metadata)
    names = ["steady"] * (MOST_BOTS + 1)
    create = tournament_pb2.CreateTournamentRequest(game="callbreak", bots=names)
    enter = tournament_pb2.EnterTournamentRequest(tournament=made.tournament, bots=names)
    for call in (
        functools.partial(stub.CreateTournament, create, metadata=admin.metadata),
        functools.partial(stub.EnterTournament, enter, metadata=admin.metadata),
    ):
        with pytest.raises(grpc.RpcError) as refused:
            call()
        assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert f"enters at most {MOST_BOTS}: send several" in str(refused.value.details())


@pytest.mark.parametrize("token", ["next", "1", "1.", "-1.0", f"{'9' * 5000}.0"])
def test_a_page_token_that_no_list_gave_is_refused(admin: Server, token: str) -> None:
    request = match_pb2.ListMatchesRequest(tournament="any", page_token=token)
    with pytest.raises(grpc.RpcError) as refused:
        MatchServiceStub(admin.channel).ListMatches(request, metadata=admin.metadata)
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT


def test_a_tournament_shows_the_clock_that_holds(arena: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, clock, shown in (
        ("times-1", [], "hosted: move=250ms,bank=10s,increment=0s,faults=3"),
        ("times-2", ["--clock", "people"], "people: move=60s,show=30s,keep=20s,bank=0s,increment=0s,faults=3"),
        ("times-3", ["--clock", "move=2s,bank=30s,increment=0.1s"], "move=2s,bank=30s,increment=100ms,faults=3"),
    ):
        assert main(["tournament", "create", name, "--game", "minus_one", *clock, "--data", str(arena)]) == 0
        assert main(["tournament", "show", name, "--data", str(arena)]) == 0
        assert f"clock       {shown}\n" in capsys.readouterr().out


def test_nobody_but_an_admin_rates_bots_on_a_clock_that_decides(admin: Server, stranger: Server) -> None:
    """All bots of the arena could be entered on a clock on which those of others are late."""

    def fast(*, unrated: bool) -> tournament_pb2.CreateTournamentRequest:
        return tournament_pb2.CreateTournamentRequest(game="callbreak", clock="move=1ms,faults=1", unrated=unrated)

    create = TournamentServiceStub(stranger.channel).CreateTournament
    with pytest.raises(grpc.RpcError) as refused:
        create(fast(unrated=False), metadata=stranger.metadata)
    assert refused.value.code() == grpc.StatusCode.PERMISSION_DENIED
    assert "for ratings use hosted or blitz" in (refused.value.details() or "")
    for server, unrated in ((stranger, True), (admin, False)):
        stub = TournamentServiceStub(server.channel)
        made = stub.CreateTournament(fast(unrated=unrated), metadata=server.metadata)
        assert (made.limits.move_ms, made.unrated) == (1, unrated)


def test_only_its_owner_starts_a_tournament(admin: Server, stranger: Server) -> None:
    made = TournamentServiceStub(admin.channel).CreateTournament(
        tournament_pb2.CreateTournamentRequest(game="callbreak"), metadata=admin.metadata
    )
    with pytest.raises(grpc.RpcError) as refused:
        TournamentServiceStub(stranger.channel).StartTournament(
            tournament_pb2.StartTournamentRequest(tournament=made.tournament), metadata=stranger.metadata
        )
    assert refused.value.code() == grpc.StatusCode.PERMISSION_DENIED


@pytest.mark.parametrize("words", [["up"], ["demo"]])
def test_services_that_are_up_are_not_started_twice(
    arena: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    login = (arena / "login.json").read_text()
    handlers = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    try:
        assert main([*words, "--data", str(arena)]) == 1
    finally:
        signal.signal(signal.SIGTERM, handlers[0])
        signal.signal(signal.SIGINT, handlers[1])
    assert "are up already" in capsys.readouterr().err
    assert (arena / "login.json").read_text() == login


def test_bots_of_no_known_game_are_not_looked_for(arena: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "list", "--game", "nogame", "--data", str(arena)]) == 2
    assert "There is no game 'nogame'" in capsys.readouterr().err


def test_a_port_in_use_is_one_line(arena: Path, services: Services, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--listen", services.address, "--data", str(arena)]) == 1
    assert "choose another one with --listen" in capsys.readouterr().err

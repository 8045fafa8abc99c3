"""From a published hash to every card: what anybody can check of a tournament that is over, by its API alone."""

import hashlib
from pathlib import Path

import pytest

from arena.cli import main
from arena.cli.client import Server, find_login_in
from arena.stack.services import Services
from arena.tournaments import units
from arena.tournaments.schedule import Entry, schedule
from arena.v1 import match_pb2, submission_pb2, tournament_pb2
from arena.v1.match_pb2_grpc import MatchServiceStub
from arena.v1.submission_pb2_grpc import SubmissionServiceStub
from arena.v1.tournament_pb2_grpc import TournamentServiceStub
from engine.record import RecordError, verify

BOTS = ["random-1", "steady", "bold"]


def test_the_revealed_secret_deals_every_card_of_the_tournament(
    arena: Path, services: Services, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server(find_login_in(services.logins()[0]))
    tournaments = TournamentServiceStub(server.channel)
    wanted = tournament_pb2.CreateTournamentRequest(
        tournament="fair", game="contract_whist", seats=3, units=2, bots=BOTS, request_id="fair"
    )
    promised = tournaments.CreateTournament(wanted, metadata=server.metadata)
    assert promised.secret == b""
    started = tournaments.StartTournament(
        tournament_pb2.StartTournamentRequest(tournament="fair"), metadata=server.metadata
    )
    assert started.secret == b""
    assert main(["tournament", "watch", "fair", "--data", str(arena)]) == 0
    ended = tournaments.GetTournament(tournament_pb2.GetTournamentRequest(tournament="fair"), metadata=server.metadata)

    # What was promised before the entries closed is what is told at the end.
    assert hashlib.sha256(ended.secret).digest() == promised.commitment == ended.commitment

    # With the entries it makes the working seed, and that the tables.
    submissions = SubmissionServiceStub(server.channel)
    versions = [
        submissions.GetVersion(submission_pb2.GetVersionRequest(bot=bot), metadata=server.metadata) for bot in BOTS
    ]
    working = units.working_seed(
        ended.secret, [units.entry_hash(version.bot, version.number, version.content_hash) for version in versions]
    )
    entries = [Entry(bot, "house", house=True) for bot in BOTS]
    tables = schedule(entries, 3, 1, units.schedule_seed(working))
    assert ended.blocks == len(tables)

    # And a unit's seed, its seats and its cards.
    matches = MatchServiceStub(server.channel)
    played = matches.ListMatches(match_pb2.ListMatchesRequest(tournament="fair"), metadata=server.metadata).matches
    assert [(match.unit, match.rotation) for match in played] == [
        (unit, rotation) for unit in range(2 * len(tables)) for rotation in range(3)
    ]
    files = []
    for match in played:
        request = match_pb2.GetRecordRequest(tournament="fair", unit=match.unit, rotation=match.rotation)
        text = matches.GetRecord(request, metadata=server.metadata).text
        verified = verify(text, seed=units.unit_seed(working, match.unit))
        cycle = units.order(working, match.unit, tables[match.unit // 2].entries)
        header = verified.header
        assert header["players"] == list(units.seating(cycle, match.rotation)) == list(match.bots)
        assert "seed" not in header
        assert [header[name] for name in ("commitment", "tournament", "unit", "rotation")] == [
            ended.commitment.hex(),
            "fair",
            match.unit,
            match.rotation,
        ]
        assert list(verified.places) == list(match.places)
        seated = [next(version for version in versions if version.bot == bot) for bot in match.bots]
        assert header["versions"] == [str(version.number) for version in seated]
        assert header["contents"] == [version.content_hash for version in seated]
        files.append(tmp_path / f"{match.unit}-{match.rotation}.jsonl")
        files[-1].write_text(text)
    with pytest.raises(RecordError):
        verify(files[0].read_text(), seed=units.unit_seed(working, 1))

    capsys.readouterr()
    assert main(["record", "verify", *map(str, files)]) == 0
    assert capsys.readouterr().out.count(": verified: ") == len(files)
    assert main(["record", "show", str(files[0])]) == 0
    shown = capsys.readouterr().out
    for version in versions:
        assert f" {version.bot}: version {version.number}, content {version.content_hash}\n" in shown

"""A match is looked at while it is played: its closed deals and nothing else, from the referee to the page."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from arena.cli import main
from arena.cli.client import Server, find_login_in
from arena.stack.services import Services
from arena.store import connect
from arena.v1.match_pb2 import GetRecordRequest, ListOpenMatchesRequest
from arena.v1.match_pb2_grpc import MatchServiceStub
from engine.record import read_beginning
from tests.whole.held import held
from tests.whole.test_pages import Pages, valid


@pytest.mark.long
def test_a_running_match_is_seen_to_the_end_of_its_last_closed_deal(
    services: Services, arena: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = Pages(services.web_address)
    server = Server(find_login_in(services.logins()[0]))
    matches = MatchServiceStub(server.channel)
    asked = ListOpenMatchesRequest(tournament="watched")
    with held(services, arena, tmp_path, "watched") as go, ThreadPoolExecutor(1) as pool:
        assert "Nothing to be seen yet" in valid(pages.get("/tournaments/watched/watch"))
        while not (found := matches.ListOpenMatches(asked, metadata=server.metadata).matches):
            pass
        here = f"/tournaments/watched/watch/{found[0].unit}/0"
        first, steps, began = "", 0, None
        # Another deal may be over between two questions; the bot sits in the third one.
        while began is None or steps != len(began.decisions):
            (one,) = matches.ListOpenMatches(asked, metadata=server.metadata).matches
            began = read_beginning(one.text)
            first = valid(pages.get(here))
            steps = int(re.findall(r"\d+ of (\d+)", first)[0])
        # The bot sits in the third deal, of which nothing is told.
        assert began.end.deal in {0, 1}
        assert (one.tournament, one.rotation) == ("watched", 0)
        assert list(one.bots) == began.header["players"]
        assert "watched-held" in one.bots
        whole = GetRecordRequest(tournament="watched", unit=one.unit, rotation=0)
        with pytest.raises(grpc.RpcError) as refused:
            matches.GetRecord(whole, metadata=server.metadata)
        assert refused.value.code() is grpc.StatusCode.NOT_FOUND

        assert '/tournaments/watched/watch"' in valid(pages.get("/tournaments/watched"))
        assert pages.get("/tournaments/watched/watch").headers["location"] == here
        assert "no other table will play its cards again" in first
        assert "data-more" not in first, "it begins with the last closed deal, to be played from there"
        last = valid(pages.get(f"{here}?step={steps}&seat=2"))
        assert "data-more" in last
        assert "This deal is over" in last
        assert f"{steps + 1}" not in re.findall(r"step=(\d+)", last)
        # What was not told is not to be had from elsewhere, either.
        assert pages.get(f"/tournaments/watched/matches/{one.unit}/0/record").status == 404

        following = pool.submit(main, ["match", "watch", "watched", "--data", str(arena)])
        told = ""
        while "deal:" not in told:
            assert not following.done()
            told += capsys.readouterr().out
        go.touch()
        assert following.result() == 0
    over = pages.get(f"{here}?step={steps}")
    assert over.headers["location"] == f"/tournaments/watched/matches/{one.unit}/0?watch=1&step={steps}"
    assert one.text in pages.get(f"/tournaments/watched/matches/{one.unit}/0/record").text
    assert "watch=1" in pages.get("/tournaments/watched/watch").headers["location"]
    assert not matches.ListOpenMatches(asked, metadata=server.metadata).matches
    with connect(services.database_url) as connection:
        assert connection.execute("SELECT count(*) FROM open_matches").fetchone() == (0,)
    told += capsys.readouterr().out
    assert f"unit {one.unit}, rotation 0\nCallbreak, 4 seats" in told
    assert one.text.count('{"pack":') <= told.count("deal: ")
    assert "next: arena record fetch watched" in told

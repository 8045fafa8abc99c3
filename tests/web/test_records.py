"""The matches of a bot are looked for as far as somebody may wait for it."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from arena.errors import NotFound
from arena.v1 import match_pb2
from arena.web.api import Visitor
from arena.web.pages.records import AT_ONCE, MOST_LOOKED, matches_of


class Long:
    """Of an API what matches are listed with: so many pages, on each of which the bot `ann` has a match."""

    def __init__(self, pages: int) -> None:
        self.matches = SimpleNamespace(ListMatches=None)
        self.pages = pages
        self.asked = 0

    async def ask(self, _: object, request: match_pb2.ListMatchesRequest, __: Visitor) -> Any:
        assert request.page_token == (f"{self.asked}.0" if self.asked else "")
        self.asked += 1
        matches = [match_pb2.Match(unit=self.asked, bots=bots) for bots in (["ann", "bob"], ["bob", "cyd"])]
        token = f"{self.asked}.0" if self.asked < self.pages else ""
        return match_pb2.ListMatchesResponse(matches=matches, next_page_token=token)


def found(api: Long, bot: str, *enough: int) -> tuple[list[int], bool]:
    app = SimpleNamespace(state=SimpleNamespace(api=api))
    request = Request({"type": "http", "app": app, "path_params": {"tournament": "cup"}, "headers": []})
    request.state.visitor = Visitor("")
    matches, all_looked = asyncio.run(matches_of(request, bot, *enough))
    return [one.unit for one in matches], all_looked


def test_all_matches_of_a_bot_are_found_or_enough_of_them() -> None:
    assert found(Long(3), "ann") == ([1, 2, 3], True)
    assert found(Long(3), "ann", 2) == ([1, 2], False)
    with pytest.raises(NotFound, match="'dan' has not played in 'cup' yet"):
        found(Long(3), "dan")


def test_a_tournament_without_end_is_not_looked_through_while_somebody_waits() -> None:
    api = Long(10**9)
    with pytest.raises(NotFound, match=f"'dan' has not played in the first {MOST_LOOKED:,} matches of 'cup'"):
        found(api, "dan")
    assert api.asked == MOST_LOOKED // AT_ONCE
    assert found(Long(10**9), "ann") == (list(range(1, 1 + MOST_LOOKED // AT_ONCE)), False)

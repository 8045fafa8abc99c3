"""Sixteen remote bots of as many owners play fields: one deal at five tables at once, each bot at one of them."""

import asyncio
import json
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.request import urlopen

import pytest

from arena.cli import main
from arena.stack.services import Services
from arena.store import connect, people
from tests.referee.wire import Wire, honest

GAMES = ["minus_one"]
NAMES = [f"far-{number:02}" for number in range(16)]


@pytest.mark.long
def test_remote_bots_of_owners_enough_play_every_deal_at_all_tables_at_once(
    arena: Path, services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(arena)]
    with connect(services.database_url) as connection:
        tokens = {name: people.add_user(connection, f"author-of-{name}") for name in NAMES}

    async def visit() -> None:
        async with AsyncExitStack() as streams:
            wires = [
                await streams.enter_async_context(
                    Wire(services.address, token, name=name, games=["minus_one"], batch=64)
                )
                for name, token in tokens.items()
            ]
            playing = [asyncio.create_task(honest(wire)) for wire in wires]
            wanted = ["--game", "minus_one", "--seats", "3", "--units", "1", "--bots", *NAMES]
            assert await asyncio.to_thread(main, ["tournament", "create", "fields", *wanted, *data]) == 0
            assert await asyncio.to_thread(main, ["tournament", "watch", "fields", *data]) == 0
            for one in playing:
                one.cancel()

    asyncio.run(asyncio.wait_for(visit(), 120))
    with connect(services.database_url) as connection:
        blocks = connection.execute("SELECT kind, state, cardinality(entries) FROM blocks WHERE tournament = 'fields'")
        assert blocks.fetchall() == [("field", "done", 15)] * 9
        faults = connection.execute("SELECT sum(f) FROM results, unnest(faults) AS f WHERE tournament = 'fields'")
        assert faults.fetchone() == (0,)
    capsys.readouterr()

    assert main(["ratings", "minus_one", "--seats", "3", "--json", *data]) == 0
    lines = [line for line in json.loads(capsys.readouterr().out) if line["unit_kind"] == "field"]
    assert sorted(line["bot"] for line in lines) == NAMES
    # One of sixteen sits out in each of the nine rounds.
    assert Counter(line["units"] for line in lines) == {8: 9, 9: 7}
    assert all(line["provisional"] for line in lines)
    # All choose alike, so whoever holds a seat makes of it what the others make of it.
    assert {(line["vs_field"], line["vs_field_margin"]) for line in lines} == {(0, 0)}
    assert main(["ratings", "minus_one", *data]) == 0
    shown = capsys.readouterr().out
    assert "minus_one, 3 seats, fields" in shown
    assert "Vs field" in shown
    assert main(["ratings", "rebuild", "--verify", *data]) == 0
    with urlopen(f"http://{services.web_address}/tournaments/fields/matches/0") as page:
        text = page.read().decode()
    assert all(f">table {number}</a>" in text for number in range(5))

"""Laws of players whose other end is a function: they answer like bots on streams, beside them or among themselves."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

import engine
from arena.bot import Choose, Turn
from arena.referee.faults import FaultKind
from arena.referee.hub import Hub
from arena.referee.inhouse import InHouse
from arena.referee.local import play_local
from arena.referee.plan import MatchPlan
from bots import house
from engine.game import Game
from engine.record import digest, verify
from tests.referee.tables import PATIENT, games, tables, title
from tests.referee.wire import room

WITHIN_S = 30


def plan(game: Game, players: Sequence[str], match_id: int = 1) -> MatchPlan:
    """A match between these players."""
    seed = match_id.to_bytes(32, "big")
    return MatchPlan(
        match_id=match_id,
        game=game,
        options=engine.write_options(game.options),
        seed=seed,
        players=tuple(players),
        names=tuple(players),
        limits=(PATIENT,) * game.seats,
        bot_seeds=tuple(bytes((match_id, seat)) * 16 for seat in range(game.seats)),
        header={"seed": seed},
    )


def highest(turn: Turn) -> int:
    return turn.legal[-1]


def drawn(turn: Turn) -> int:
    return turn.rng.choice(turn.legal)


@pytest.mark.parametrize("game", tables(), ids=title)
def test_a_match_of_functions_only_ends_and_is_the_match_in_one_process(game: Game) -> None:
    """Nothing but the event loop moves it, and the hub adds nothing of its own."""

    async def at_the_table() -> None:
        async with Hub() as hub, asyncio.timeout(WITHIN_S):
            wanted = plan(game, [f"player {seat}" for seat in range(game.seats)])
            seated = [InHouse(hub, player, drawn) for player in wanted.players]
            verdict = await hub.play(wanted)
            assert verdict.faults == ()
            local = play_local(game, wanted.seed, [drawn] * game.seats, names=wanted.names, bot_seeds=wanted.bot_seeds)
            assert verify(verdict.record).places == local.places
            assert digest(verdict.record) == digest(local.record)
            for player in seated:
                player.leave()
            assert hub.connected() == {}

    asyncio.run(at_the_table())


@pytest.mark.parametrize("game", games(), ids=title)
def test_the_house_bots_play_in_house(game: Game) -> None:
    async def at_the_table() -> None:
        async with Hub() as hub, asyncio.timeout(WITHIN_S):
            names = [entry.name for entry in house.ENTRIES[: game.seats]]
            for name in names:
                InHouse(hub, name, house.choose(name, game.id))
            verdict = await hub.play(plan(game, names))
            assert verdict.faults == ()
            assert verify(verdict.record).places == verdict.places

    asyncio.run(at_the_table())


def test_a_bot_on_a_stream_and_functions_sit_at_one_table(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, games()[0]) as table, asyncio.timeout(WITHIN_S), table.wire(0) as wire:
            for player in table.players[1:]:
                InHouse(table.hub, player, highest)
            playing = asyncio.create_task(table.hub.play(table.plan()))
            while not playing.done():
                frame = await wire.read()
                assert frame is not None
                if frame.ends:
                    break
                await wire.answer(frame.turns)
            verdict = await playing
            assert verdict.faults == ()

    asyncio.run(at_the_table())


def test_every_match_has_notes_and_draws_of_its_own() -> None:
    """Eight matches at once between the same players are the eight matches played alone."""
    game = games()[0]

    def counts_its_turns(turn: Turn) -> int:
        turns: int = turn.notes.get("turns", 0) + 1
        turn.notes["turns"] = turns
        return turn.legal[(turns + turn.rng.randrange(7)) % len(turn.legal)]

    async def at_the_table() -> None:
        async with Hub() as hub, asyncio.timeout(WITHIN_S):
            players = [f"player {seat}" for seat in range(game.seats)]
            for player in players:
                InHouse(hub, player, counts_its_turns)
            plans = [plan(game, players, match_id) for match_id in range(1, 9)]
            verdicts = await asyncio.gather(*map(hub.play, plans))
            for wanted, verdict in zip(plans, verdicts, strict=True):
                local = play_local(
                    game, wanted.seed, [counts_its_turns] * game.seats, names=players, bot_seeds=wanted.bot_seeds
                )
                assert digest(verdict.record) == digest(local.record)

    asyncio.run(at_the_table())


def test_a_function_that_answers_illegally_is_faulted_like_any_bot() -> None:
    game = games()[0]
    bots: list[Choose] = [lambda _turn: -1, *[drawn] * (game.seats - 1)]

    async def at_the_table() -> None:
        async with Hub() as hub, asyncio.timeout(WITHIN_S):
            players = [f"player {seat}" for seat in range(game.seats)]
            for player, choose in zip(players, bots, strict=True):
                InHouse(hub, player, choose)
            verdict = await hub.play(plan(game, players))
            assert [fault.kind for fault in verdict.faults] == [FaultKind.ILLEGAL] * PATIENT.max_faults
            assert verdict.forfeited == (0,)

    asyncio.run(at_the_table())


def test_a_stream_answers_for_a_function_that_has_left(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, games()[0]) as table, asyncio.timeout(WITHIN_S):
            seated = [InHouse(table.hub, player, highest) for player in table.players]
            seated[0].leave()
            playing = asyncio.create_task(table.hub.play(table.plan()))
            async with table.wire(0) as wire:
                while not playing.done():
                    frame = await wire.read()
                    assert frame is not None
                    await wire.answer(frame.turns)
                assert (await playing).faults == ()

    asyncio.run(at_the_table())

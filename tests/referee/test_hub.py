"""Laws of the hub over real streams: batches, reconnects, clocks and farewells."""

import asyncio
import contextlib
import time
from pathlib import Path

import pytest

import engine
from arena.referee.clock import Limits
from arena.referee.faults import FaultKind
from arena.referee.plan import Abandoned
from arena.referee.stream import DONE, SHUTDOWN, TAKEN_OVER
from arena.v1 import play_pb2
from engine.record import verify
from tests.referee.tables import games
from tests.referee.wire import Room, Wire, honest, honest_in_a_thread, lowest, room

GAME = games()[0]


@pytest.mark.parametrize("batch", [1, 3, 256])
def test_a_bot_is_never_sent_more_unanswered_turns_than_its_batch(batch: int, short_dir: Path) -> None:
    async def at_the_table() -> None:
        most = 0

        async def one_answer_at_a_time(wire: Wire) -> None:
            nonlocal most
            unanswered: list[play_pb2.Turn] = []

            async def reads() -> None:
                nonlocal most
                while (frame := await wire.read()) is not None:
                    unanswered.extend(frame.turns)
                    most = max(most, len(unanswered))

            reading = asyncio.create_task(reads())
            while not reading.done():
                if unanswered:
                    await wire.answer([unanswered[0]])
                    del unanswered[0]
                await asyncio.sleep(0.0005)

        async with room(short_dir, GAME) as table:
            plans = [table.plan(match_id) for match_id in range(1, 9)]
            verdicts = await table.play_all(plans, {1: one_answer_at_a_time}, batch)
            assert not any(verdict.faults for verdict in verdicts)
        assert most <= batch
        assert most > 1 or batch == 1

    asyncio.run(at_the_table())


def test_a_frame_carries_everything_that_waits(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table, table.wire(0, batch=256) as wire:
            for seat in range(1, 4):
                table.hub.gone(f"player {seat}", "The bot is not here.")
            playing = [asyncio.create_task(table.hub.play(table.plan(match_id))) for match_id in range(1, 31)]
            first = await wire.read()
            assert first is not None
            before = -1
            while before != table.hub.decisions:
                before = table.hub.decisions
                await asyncio.sleep(0.02)
            await wire.answer(first.turns)
            second = await wire.read()
            assert second is not None
            assert len(second.turns) >= 30 - len(first.turns)
            table.hub.gone("player 0", "The bot is not here.")
            await asyncio.gather(*playing)

    asyncio.run(at_the_table())


def test_a_turn_that_waits_for_the_last_frame_has_no_running_clock(short_dir: Path) -> None:
    """Nine turns wait behind one that is never answered: only that one is late."""

    async def at_the_table() -> None:
        withheld: list[play_pb2.Turn] = []

        async def withholds_the_first(wire: Wire) -> None:
            while (frame := await wire.read()) is not None:
                if frame.turns and not withheld:
                    withheld.extend(frame.turns)
                else:
                    await wire.answer(frame.turns)

        async with room(short_dir, GAME) as table:
            plans = [table.plan(match_id, strict={0: Limits(400, 0, 3)}) for match_id in range(1, 11)]
            verdicts = await table.play_all(plans, {0: withholds_the_first})
            faults = [fault for verdict in verdicts for fault in verdict.faults]
            assert [(fault.kind, fault.turn) for fault in faults] == [(FaultKind.LATE, withheld[0].turn)]

    asyncio.run(at_the_table())


def test_a_bot_that_comes_back_in_time_is_asked_again(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            lost: list[play_pb2.Turn] = []

            async def loses_its_stream(wire: Wire) -> None:
                lost.append(await wire.turn())
                await wire.close()
                async with table.wire(2) as again:
                    turn = await again.turn()
                    assert [start.match_id for frame in again.frames for start in frame.starts] == [1]
                    assert turn.budget_ms <= lost[0].budget_ms
                    lost[0].budget_ms = turn.budget_ms
                    assert turn == lost[0]
                    await again.answer([turn])
                    await honest(again)

            verdict = await table.play(table.plan(), {2: loses_its_stream})
            assert verdict.faults == ()
            assert lost

    asyncio.run(at_the_table())


def test_an_answer_made_while_the_stream_was_lost_counts_on_the_next_stream(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:

            async def answers_on_the_next_stream(wire: Wire) -> None:
                turn = await wire.turn()
                await wire.close()
                again = table.wire(2, batch=1)
                await again.dial()
                hello = play_pb2.Hello(bot="bot", protocol=1)
                await again.send(play_pb2.PlayRequest(hello=hello))
                await again.send(play_pb2.PlayRequest(choices=[lowest(turn)]))
                await honest(again)
                await again.close()

            verdict = await table.play(table.plan(), {2: answers_on_the_next_stream})
            assert verdict.faults == ()

    asyncio.run(at_the_table())


def test_the_newest_login_wins_and_the_old_stream_is_told(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            old = table.wire(1)

            async def is_taken_over(_wire: Wire) -> None:
                async with old:
                    await old.turn()
                    async with table.wire(1) as new:
                        while await old.read():
                            pass
                        await honest(new)

            verdict = await table.play(table.plan(), {1: is_taken_over})
            assert verdict.faults == ()
            assert old.frames[-1].farewell.reason == play_pb2.FAREWELL_REASON_TAKEN_OVER
            assert old.frames[-1].farewell.message == TAKEN_OVER.sentence

    asyncio.run(at_the_table())


def test_a_farewell_is_read_although_an_answer_crosses_the_end(short_dir: Path) -> None:
    """gRPC's client would drop it for the answer that cannot be sent."""

    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            for _ in range(9):
                async with table.wire(0) as old, table.wire(0):
                    await old.send(play_pb2.PlayRequest(choices=[play_pb2.Choice()]))
                    farewell = await old.read()
                    assert farewell is not None
                    assert farewell.farewell.message == TAKEN_OVER.sentence

    asyncio.run(at_the_table())


def test_a_referee_that_stands_still_for_two_seconds_is_not_the_bots_fault(short_dir: Path) -> None:
    """Turns of all bots are out while the loop is blocked: of those on the loop, which cannot answer before it goes on,
    and of one in a thread, whose answers are heard late."""

    async def at_the_table() -> None:
        async with room(short_dir, engine.load("minus_one", 4, rounds=6)) as table:
            elsewhere = asyncio.create_task(asyncio.to_thread(honest_in_a_thread, table.addresses[0], "ticket 0"))
            await table.hub.arrival(["player 0"], within_ms=20_000)
            asked: set[Wire] = set()
            out, over = asyncio.Event(), asyncio.Event()

            async def answers_after_the_stall(wire: Wire) -> None:
                turn = await wire.turn()
                asked.add(wire)
                if len(asked) == 3:
                    out.set()
                await over.wait()
                # It thinks, so that the referee looks at its watch before the answer is there.
                await asyncio.sleep(0.05)
                await wire.answer([turn])
                await honest(wire)

            strict = dict.fromkeys(range(4), Limits(1_500, 0, 3))
            plans = [table.plan(match_id, strict=strict) for match_id in range(1, 4)]
            async with contextlib.AsyncExitStack() as streams, asyncio.TaskGroup() as group:
                wires = [await streams.enter_async_context(table.wire(seat)) for seat in range(1, 4)]
                bots = [group.create_task(answers_after_the_stall(wire)) for wire in wires]
                playing = asyncio.gather(*(table.hub.play(plan) for plan in plans))
                await out.wait()
                time.sleep(2)  # noqa: ASYNC251 - the stall of the loop is what is tested
                over.set()
                verdicts = await playing
                for bot in bots:
                    bot.cancel()
            assert [verdict.faults for verdict in verdicts] == [()] * len(plans)
            assert table.hub.lag_us > 1_900_000
            table.hub.forget("player 0")
            await elsewhere

    asyncio.run(at_the_table())


def test_the_newest_valid_login_takes_over_and_a_choice_that_it_repeats_has_no_effect(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            first: list[play_pb2.Turn] = []

            async def moves_house(wire: Wire) -> None:
                first.append(await wire.turn())
                await wire.answer(first)
                second = await wire.turn()
                stranger = Wire(table.addresses[2], "ticket 1")
                await stranger.dial()
                assert await stranger.hello() is None
                await stranger.close()
                async with table.wire(2) as new:
                    highest = first[0].first + first[0].legal.bit_length() - 1
                    again = play_pb2.Choice(match_id=first[0].match_id, turn=first[0].turn, action=highest)
                    await new.send(play_pb2.PlayRequest(choices=[lowest(first[0]), again]))
                    asked = await new.turn()
                    assert (asked.match_id, asked.turn) == (second.match_id, second.turn)
                    await new.answer([asked])
                    await honest(new)

            verdict = await table.play(table.plan(), {2: moves_house})
            assert verdict.faults == ()
            assert table.hub.counters("player 2").stale == 2
            decision = verify(verdict.record).decisions[first[0].turn]
            assert (decision.seat, decision.action) == (2, lowest(first[0]).action)

    asyncio.run(at_the_table())


def test_a_player_that_never_came_costs_its_own_clock_and_is_forfeited(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            assert await table.hub.arrival(["player 0"], within_ms=10) == {"player 0"}
            strict = dict.fromkeys(range(4), Limits(30, 0, 3))
            verdict = await table.hub.play(table.plan(strict=strict))
            assert {fault.kind for fault in verdict.faults} == {FaultKind.GONE}
            assert verify(verdict.record).forfeited == (0, 1, 2, 3)

    asyncio.run(at_the_table())


def test_arrival_is_seen_at_once(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            arriving = asyncio.create_task(table.hub.arrival(["player 0", "player 1"], within_ms=60_000))
            async with table.wire(0), table.wire(1):
                assert await arriving == frozenset()
                assert table.hub.connected().keys() == {"player 0", "player 1"}
            table.hub.gone("player 2", "The bot's process ended.")
            assert await table.hub.arrival(["player 2"], within_ms=60_000) == {"player 2"}

    asyncio.run(at_the_table())


async def ends(wire: Wire) -> list[play_pb2.MatchEnd]:
    while await wire.read():
        pass
    return [end for frame in wire.frames for end in frame.ends]


def test_a_match_that_is_given_up_is_told_to_those_who_play_it(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table, table.wire(0) as wire:
            playing = asyncio.create_task(table.hub.play(table.plan()))
            table.hub.gone("player 3", "The bot is not here.")
            await asyncio.sleep(0)
            playing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await playing
            table.hub.forget("player 0")
            told = await ends(wire)
            assert [(end.match_id, end.abandoned) for end in told] in ([], [(1, True)])
            assert wire.frames[-1].farewell.message == DONE.sentence

    asyncio.run(at_the_table())


def test_the_result_is_told_with_the_bots_own_faults_only(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            told: dict[int, play_pb2.MatchEnd] = {}

            async def listens(wire: Wire, seat: int) -> None:
                while (frame := await wire.read()) is not None:
                    if frame.ends:
                        told[seat] = frame.ends[0]
                    await wire.answer(frame.turns)

            async def fails_once(wire: Wire) -> None:
                await wire.turn()
                await wire.send(b"\xff")
                await listens(wire, 0)

            async def listener(wire: Wire) -> None:
                await listens(wire, 1)

            verdict = await table.play(table.plan(), {0: fails_once, 1: listener})
            for end in told.values():
                assert tuple(end.scores) == verdict.scores
                assert tuple(end.places) == verdict.places
            assert len(verdict.faults) == 1

    asyncio.run(at_the_table())


def test_a_shutdown_says_so_and_abandons_what_is_played(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table, table.wire(0) as wire:
            playing = asyncio.create_task(table.hub.play(table.plan()))
            await asyncio.sleep(0)
            table.hub.close(SHUTDOWN)
            with pytest.raises(Abandoned):
                await playing
            await ends(wire)
            assert wire.frames[-1].farewell.reason == play_pb2.FAREWELL_REASON_SHUTDOWN

    asyncio.run(at_the_table())


def test_a_match_needs_different_players_and_an_id_of_its_own(short_dir: Path) -> None:
    async def at_the_table(table: Room) -> None:
        playing = asyncio.create_task(table.hub.play(table.plan(1)))
        await asyncio.sleep(0)
        with pytest.raises(ValueError, match="is being played already"):
            await table.hub.play(table.plan(1))
        playing.cancel()

    async def in_a_room() -> None:
        async with room(short_dir, GAME) as table:
            await at_the_table(table)

    asyncio.run(in_a_room())

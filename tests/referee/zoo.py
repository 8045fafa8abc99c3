"""Bad bots as behaviours on a stream, from its welcome to its end. Knows no table and no law: what comes of
them is judged elsewhere."""

import asyncio

from arena.v1 import play_pb2
from tests.referee.wire import Wire, lowest


async def never_answers(wire: Wire) -> None:
    while await wire.read():
        pass


async def answers_the_turn_before(wire: Wire) -> None:
    """So late that the next turn has come already."""
    held: list[play_pb2.Turn] = []
    while (frame := await wire.read()) is not None:
        await wire.answer(held)
        held = list(frame.turns)


async def never_reads(_wire: Wire) -> None:
    await asyncio.Event().wait()


async def answers_illegally(wire: Wire) -> None:
    while (frame := await wire.read()) is not None:
        for turn in frame.turns:
            choice = play_pb2.Choice(match_id=turn.match_id, turn=turn.turn, action=2**32 - 1)
            await wire.send(play_pb2.PlayRequest(choices=[choice]))


async def answers_garbage(wire: Wire) -> None:
    while (frame := await wire.read()) is not None:
        if frame.turns:
            await wire.send(b"\xff" * 17)


async def vanishes(wire: Wire) -> None:
    await wire.turn()
    await wire.close()


async def sends_a_huge_frame(wire: Wire) -> None:
    await wire.turn()
    await wire.send(b"\0" * 300_000)
    await never_answers(wire)


async def floods(wire: Wire) -> None:
    turn = await wire.turn()
    stale = play_pb2.Choice(match_id=turn.match_id, turn=2**31, action=0)
    for _ in range(50):
        await wire.send(play_pb2.PlayRequest(choices=[stale] * 100))
    await never_answers(wire)


async def answers_twice(wire: Wire) -> None:
    """The second answer is another legal action, and then an illegal one."""
    while (frame := await wire.read()) is not None:
        for turn in frame.turns:
            highest = turn.first + turn.legal.bit_length() - 1
            await wire.send(
                play_pb2.PlayRequest(
                    choices=[
                        lowest(turn),
                        play_pb2.Choice(match_id=turn.match_id, turn=turn.turn, action=highest),
                        play_pb2.Choice(match_id=turn.match_id, turn=turn.turn, action=999),
                    ]
                )
            )


async def answers_turns_that_nobody_asked(wire: Wire) -> None:
    while (frame := await wire.read()) is not None:
        for turn in frame.turns:
            strays = [
                play_pb2.Choice(match_id=turn.match_id, turn=turn.turn + 1, action=0),
                play_pb2.Choice(match_id=turn.match_id + 7, turn=turn.turn, action=0),
                play_pb2.Choice(match_id=2**64 - 1, turn=2**32 - 1, action=2**32 - 1),
            ]
            if turn.turn:
                strays.append(play_pb2.Choice(match_id=turn.match_id, turn=turn.turn - 1, action=0))
            await wire.send(play_pb2.PlayRequest(choices=[*strays, lowest(turn)]))


async def says_hello_again_and_nothing_at_all(wire: Wire) -> None:
    while (frame := await wire.read()) is not None:
        await wire.send(play_pb2.PlayRequest(hello=play_pb2.Hello(bot="other", protocol=1)))
        await wire.send(b"")
        await wire.answer(frame.turns)

"""The benchmark's own arithmetic: what counts as the referee's delay, and the sizes of an echo's frames."""

import itertools

import pytest

from arena.v1 import play_pb2
from benchmarks.delays import Frame, delays_of
from benchmarks.tables import frame_sizes


def sent(at_us: int, stream: int, *turns: tuple[int, int]) -> Frame:
    """A frame with these turns, each as match and number."""
    response = play_pb2.PlayResponse(turns=[play_pb2.Turn(match_id=match_id, turn=turn) for match_id, turn in turns])
    return Frame(at_us * 1000, at_us * 500, stream, False, response.SerializeToString())


def received(at_us: int, stream: int, *choices: tuple[int, int]) -> Frame:
    """A frame with answers to these turns."""
    request = play_pb2.PlayRequest(choices=[play_pb2.Choice(match_id=match, turn=turn) for match, turn in choices])
    return Frame(at_us * 1000, at_us * 500, stream, True, request.SerializeToString())


def test_a_turn_is_due_when_the_last_answer_before_it_has_come() -> None:
    frames = [sent(0, 1, (7, 1)), sent(0, 2, (7, 1)), received(100, 1, (7, 1)), received(200, 2, (7, 1))]
    delays = delays_of([*frames, sent(700, 1, (7, 2))], lambda _: True)
    assert (delays.turns, delays.own_p50_us, delays.worked_p50_us, delays.prompt) == (1, 500, 250, 1)


def test_a_turn_behind_an_unanswered_frame_is_not_the_referees_delay() -> None:
    frames = [
        sent(0, 1, (7, 1)),
        received(50, 1, (7, 1)),
        sent(100, 1, (7, 2), (8, 4)),
        sent(100, 2, (9, 1)),
        received(200, 2, (9, 1)),
        received(300, 1, (8, 4)),
        received(5000, 1, (7, 2)),
    ]
    delays = delays_of([*frames, sent(5100, 1, (9, 2), (8, 5))], lambda match_id: match_id == 9)
    assert (delays.turns, delays.own_p50_us, delays.waited_p50_us) == (1, 100, 4900)


def test_a_turn_whose_past_was_not_seen_does_not_count() -> None:
    with pytest.raises(RuntimeError, match="No turn went through"):
        delays_of([received(0, 1, (7, 1)), sent(10, 1, (7, 2)), sent(20, 1, (8, 0))], lambda _: True)


def test_frames_of_an_echo_have_the_mean_that_the_referee_had() -> None:
    sizes = list(itertools.islice(frame_sizes(12.3), 100))
    assert (sum(sizes), set(sizes)) == (1230, {12, 13})

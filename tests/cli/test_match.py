"""When `arena match watch` has seen everything."""

import pytest

from arena.cli.match import over
from arena.v1 import tournament_pb2 as pb

RUNNING = pb.TOURNAMENT_STATE_RUNNING


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (pb.Tournament(state=RUNNING, blocks=4, blocks_done=3), False),
        (pb.Tournament(state=RUNNING, blocks=4, blocks_done=4), False),  # the next round of a Swiss is to be drawn
        (pb.Tournament(state=RUNNING, blocks=4, blocks_done=4, secret=bytes(32)), True),
        (pb.Tournament(state=RUNNING, blocks=4, blocks_done=2, blocks_void=1, undecided="Decide."), False),
        (pb.Tournament(state=RUNNING, blocks=4, blocks_done=3, blocks_void=1, undecided="Decide."), True),
        (pb.Tournament(state=pb.TOURNAMENT_STATE_DONE), True),
        (pb.Tournament(state=pb.TOURNAMENT_STATE_CANCELLED), True),
    ],
)
def test_it_is_over_when_nothing_is_played_without_a_decision(state: pb.Tournament, expected: bool) -> None:
    assert over(state) is expected

"""Laws of the clock: numbers only, no watch."""

from hypothesis import given
from hypothesis import strategies as st

from arena.referee.clock import Limits, bank_after

MOVES = st.integers(1, 10**7)
BANKS = st.integers(0, 6 * 10**7)


@given(MOVES, BANKS, st.lists(st.integers(0, 10**8)))
def test_the_bank_never_grows_and_never_goes_below_zero(move_us: int, bank_us: int, answers: list[int]) -> None:
    for elapsed_us in answers:
        after_us = bank_after(move_us, bank_us, elapsed_us)
        assert 0 <= after_us <= bank_us
        bank_us = after_us


@given(MOVES, BANKS, st.data())
def test_whoever_is_in_time_pays_exactly_what_was_over_the_move_limit(
    move_us: int, bank_us: int, data: st.DataObject
) -> None:
    elapsed_us = data.draw(st.integers(0, move_us + bank_us))
    assert bank_us - bank_after(move_us, bank_us, elapsed_us) == max(0, elapsed_us - move_us)


def test_a_phase_may_have_a_time_of_its_own() -> None:
    limits = Limits(move_ms=100, bank_ms=0, max_faults=1, phase_ms=(100, 30_000))
    assert (limits.move_us(0), limits.move_us(1)) == (100_000, 30_000_000)

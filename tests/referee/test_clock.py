"""Laws of the clock: numbers only, no watch."""

from hypothesis import given
from hypothesis import strategies as st

from arena.referee.clock import Limits, bank_after, budget_us

LIMITS = st.builds(Limits, move_ms=st.integers(1, 10_000), bank_ms=st.integers(0, 60_000), max_faults=st.integers(1, 5))


@given(LIMITS, st.lists(st.integers(0, 10**8)))
def test_the_bank_never_grows_and_never_goes_below_zero(limits: Limits, answers: list[int]) -> None:
    bank = limits.bank_ms * 1000
    for elapsed_us in answers:
        after = bank_after(limits, 0, bank, elapsed_us)
        assert 0 <= after <= bank
        bank = after


@given(LIMITS, st.data())
def test_whoever_keeps_the_budget_pays_exactly_what_was_over_the_move_limit(
    limits: Limits, data: st.DataObject
) -> None:
    bank = data.draw(st.integers(0, limits.bank_ms * 1000))
    elapsed_us = data.draw(st.integers(0, budget_us(limits, 0, bank)))
    assert bank - bank_after(limits, 0, bank, elapsed_us) == max(0, elapsed_us - limits.move_ms * 1000)


def test_a_phase_may_have_a_time_of_its_own() -> None:
    limits = Limits(move_ms=100, bank_ms=0, max_faults=1, phase_ms=(100, 30_000))
    assert (budget_us(limits, 0, 0), budget_us(limits, 1, 0)) == (100_000, 30_000_000)

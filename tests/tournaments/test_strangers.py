"""Where bots of strangers are run: in cells that are at least of the tier that the operator named."""

import pytest

from arena.tournaments.strangers import USUAL, least_tier, refusal
from sandbox.box import Tier


@pytest.mark.parametrize("tier", list(Tier))
def test_a_tier_of_that_name_is_found(tier: Tier) -> None:
    assert least_tier(tier.value) is tier


def test_without_a_name_every_tier_will_do() -> None:
    assert all(tier.is_at_least(least_tier("")) for tier in Tier)


def test_a_tier_of_no_such_name_is_refused_with_the_list() -> None:
    with pytest.raises(ValueError, match="'rooty' is no tier of cells: choose one of root, userns, userns-bare"):
        least_tier("rooty")


def test_cells_that_are_too_weak_are_told_in_one_sentence() -> None:
    assert refusal(Tier.USERNS, Tier.ROOT).startswith(
        "cells here are of tier userns and strangers' bots need at least root: only bots of the house and of admins"
    )
    assert not refusal(Tier.USERNS, Tier.USERNS_BARE)


def test_strangers_are_run_by_default_in_every_tier_with_namespaces() -> None:
    assert [tier for tier in Tier if not refusal(tier, USUAL)] == [Tier.ROOT, Tier.USERNS, Tier.USERNS_BARE]

"""Who plays on which host: bots of strangers only where cells close well enough. Knows no database and starts nothing.

A stranger is whoever is neither the house nor an admin: those run programs here anyway.
"""

from sandbox.box import Tier

LEAST_TIER = "ARENA_LEAST_TIER"
"""The variable with the least tier for strangers' bots; what plays a block finds it only if there are some in it."""

TIER = "ARENA_TIER"
"""The variable with the tier that a worker found at its start."""

USUAL = Tier.USERNS_BARE
"""The weakest tier in which nothing of one cell can be seen from another."""


def least_tier(text: str) -> Tier:
    """The tier of that name; the weakest for none.

    :raises ValueError: if there is none of that name; the sentence lists them.
    """
    if not text:
        return list(Tier)[-1]
    try:
        return Tier(text)
    except ValueError:
        names = ", ".join(tier.value for tier in Tier)
        raise ValueError(f"'{text}' is no tier of cells: choose one of {names}") from None


def refusal(tier: Tier, least: Tier) -> str:
    """Why no strangers' bots are run in cells of that tier, in a sentence; empty if they are."""
    if tier.is_at_least(least):
        return ""
    return (
        f"cells here are of tier {tier.value} and strangers' bots need at least {least.value}: only bots of the house "
        f"and of admins are run; 'arena doctor' says what can be done"
    )

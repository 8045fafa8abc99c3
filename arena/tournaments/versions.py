"""Which version of a bot sits in a seat, as the record of the match says it. Knows no match and no archive."""

from collections.abc import Iterable
from dataclasses import dataclass

from arena.tournaments.block import Player


@dataclass(frozen=True, slots=True)
class Version:
    """A version by its name and its content.

    :ivar name: the number of a submitted one; what a remote bot or the manifest of a folder calls it; may be empty.
    :ivar content_hash: of the files that played, in hex; empty for a remote bot, whose files nobody here has seen.
    """

    name: str
    content_hash: str = ""


def of_player(player: Player) -> Version:
    """A hosted bot of a block."""
    return Version(str(player.version), player.content_hash)


def members(seats: Iterable[Version]) -> dict[str, list[str]]:
    """The versions of a match, by seat, as members of its record's header."""
    seated = list(seats)
    return {
        "versions": [version.name for version in seated],
        "contents": [version.content_hash for version in seated],
    }

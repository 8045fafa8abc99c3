"""The formats of a tournament as people read of them. Knows no schedule."""

from dataclasses import dataclass

from arena.v1 import tournament_pb2 as pb


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, its number on the wire, and who meets whom in a sentence."""

    name: str
    number: pb.TournamentFormat.ValueType
    text: str


FORMATS = (
    Format("round-robin", pb.TOURNAMENT_FORMAT_ROUND_ROBIN, "Everybody meets everybody, about equally often."),
    Format(
        "Swiss", pb.TOURNAMENT_FORMAT_SWISS, "In every round those meet that have done about equally well before it."
    ),
    Format(
        "gauntlet",
        pb.TOURNAMENT_FORMAT_GAUNTLET,
        "The bots are measured by others that are known: each meets those, and none of the rest.",
    ),
    Format(
        "challenge", pb.TOURNAMENT_FORMAT_CHALLENGE, "A few bots for once, unrated; here bots of one owner may meet."
    ),
    Format(
        "ladder",
        pb.TOURNAMENT_FORMAT_LADDER,
        "It stands until you close it: bots come and go, and in every period those play that have waited longest.",
    ),
)
"""In the order in which they are offered, the usual one first."""

"""The options of every game with all their values, and the names that set them. Knows no rule."""

from dataclasses import dataclass

SEATS = {"callbreak": [4], "minus": [4], "minus_one": [3, 4, 5, 6, 7], "contract_whist": [3, 4, 5, 6]}


@dataclass(frozen=True)
class Whole:
    """Whole numbers from ``least`` to ``most``."""

    least: int
    most: int = 1_000_000


@dataclass(frozen=True)
class ListOf:
    """A list of these, at least one, repetitions allowed."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class SeatOrRandom:
    """A seat of the table, or random."""


Values = tuple[str, ...] | Whole | ListOf | SeatOrRandom

REGISTER: dict[str, dict[str, Values]] = {
    "callbreak": {
        "direction": ("clockwise", "anticlockwise"),
        "must_beat": ("unless_trumped", "always", "never"),
        "trump_when_void": ("must_win", "always", "no_waste", "never"),
        "first_lead_spades": ("allowed", "banned"),
        "min_call": ("1", "2"),
        "redeal_below": ("8", "0"),
        "redeal_no_spades": ("false", "true"),
        "redeal_no_honours": ("false", "true"),
        "announce_voids": ("false", "true"),
        "scoring": ("callbreak", "call_bridge"),
        "big_call_score": ("13", "16"),
        "big_call_overtricks": ("penalised", "ignored"),
        "deals": ("5", "10"),
        "tie_break": ("extra_deal", "best_deal"),
        "max_redeals": Whole(0),
        "first_dealer": SeatOrRandom(),
    },
    "minus": {
        "direction": ("clockwise", "anticlockwise"),
        "second_lap": ("true", "false"),
        "takeover_min": Whole(5, 13),
        "all_pass_trump": ("S", "H", "D", "C"),
        "must_beat": ("unless_trumped", "never", "always"),
        "trump_when_void": ("must_win", "always", "no_waste", "never"),
        "match_end": ("deals", "target"),
        "deals": Whole(1),
        "target": Whole(1),
        "max_deals": Whole(1),
        "first_dealer": SeatOrRandom(),
    },
    "minus_one": {"rounds": ("18", "6"), "rest_across_decks": ("false", "true")},
    "contract_whist": {
        "trump_sequence": ListOf(("S", "H", "D", "C", "NT")),
        "first_trump": ("random", "S", "H", "D", "C"),
        "hook_last_hand": ("true", "false"),
        "tie_break": ("share", "extra_hand", "made_contracts"),
        "first_dealer": SeatOrRandom(),
    },
}

DEFAULTS: dict[str, dict[str, str]] = {
    "callbreak": {
        **{name: values[0] for name, values in REGISTER["callbreak"].items() if isinstance(values, tuple)},
        "max_redeals": "10",
        "first_dealer": "random",
    },
    "minus": {
        **{name: values[0] for name, values in REGISTER["minus"].items() if isinstance(values, tuple)},
        "takeover_min": "10",
        "deals": "5",
        "target": "21",
        "max_deals": "60",
        "first_dealer": "random",
    },
    "minus_one": {"rounds": "18", "rest_across_decks": "false"},
    "contract_whist": {
        "trump_sequence": "S,H,D,C,NT",
        "first_trump": "random",
        "hook_last_hand": "true",
        "tie_break": "share",
        "first_dealer": "random",
    },
}

PRESETS: dict[str, tuple[str, dict[str, str]]] = {
    "callbreak_nepal": ("callbreak", {"direction": "anticlockwise"}),
    "call_bridge_bd": (
        "callbreak",
        {
            "direction": "anticlockwise",
            "must_beat": "never",
            "trump_when_void": "must_win",
            "min_call": "2",
            "redeal_below": "0",
            "scoring": "call_bridge",
            "big_call_score": "13",
        },
    ),
    "callbreak_plain": ("callbreak", {"must_beat": "never", "trump_when_void": "never"}),
}

ALIASES: dict[str, list[str]] = {
    "callbreak": ["call break", "lakdi", "lakadi", "लकड़ी", "call bridge", "ghochi", "toos"],
    "minus": [],
    "minus_one": ["remove one"],
    "contract_whist": [
        *["oh hell", "oh well", "oh pshaw", "nomination whist", "nominations", "nommy", "blob", "blackout", "bust"],
        *["elevator", "jungle bridge", "diminishing contract whist", "up and down the river"],
    ],
}


def allowed(values: Values, text: str, seats: int) -> bool:
    """Whether the text is a value of the option."""
    if isinstance(values, tuple):
        return text in values
    if isinstance(values, Whole):
        return text.isdecimal() and str(int(text)) == text and values.least <= int(text) <= values.most
    if isinstance(values, ListOf):
        return all(one in values.values for one in text.split(","))
    return text == "random" or text in [str(seat) for seat in range(seats)]


def complaint(game: str, seats: int, options: dict[str, str]) -> str | None:
    """What is wrong with the options; None if nothing is."""
    register = REGISTER[game]
    if list(options) != list(register):
        return f"the options are {', '.join(options)} and should be {', '.join(register)}"
    for name, values in register.items():
        if not allowed(values, options[name], seats):
            return f"{name} cannot be {options[name]!r}"
    if game == "contract_whist":
        sequence = options["trump_sequence"].split(",")
        if options["first_trump"] not in ["random", *sequence] and set(sequence) != {"NT"}:
            return "first_trump is not in the trump sequence (CW-B1)"
    return None

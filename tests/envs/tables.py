"""The tables on which the environments are tested: every game, the smallest and the largest table, options that change
what is seen; short matches."""

from typing import Any

TABLES: list[tuple[str, int, dict[str, Any]]] = [
    ("callbreak", 4, {"direction": "anticlockwise", "announce_voids": True, "max_redeals": 1}),
    ("minus", 4, {"deals": 1}),
    ("minus_one", 3, {"rounds": 6}),
    ("minus_one", 7, {"rounds": 6}),
    ("contract_whist", 3, {}),
    ("contract_whist", 6, {"tie_break": "extra_hand"}),
]
NAMES = [f"{name}-{seats}" for name, seats, _ in TABLES]

"""Judges the text of a record by the second reading of the rules. Imports nothing of the engine or the platform."""

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.second_reading.callbreak import Callbreak
from tests.second_reading.cards import draw, in_dealing_order, shuffled, whole_pack
from tests.second_reading.contract_whist import ContractWhist
from tests.second_reading.match import Match
from tests.second_reading.minus import Minus
from tests.second_reading.minus_one import MinusOne
from tests.second_reading.register import SEATS, complaint

FAULTS = ["ILLEGAL", "LATE", "GARBLED", "GONE"]


class Refused(ValueError):
    """The record is not that of a match by these rules; the sentence begins with the line."""


@dataclass(frozen=True)
class Reading:
    """What a good record holds. ``seen`` counts what happened in it, in words."""

    game: str
    seats: int
    options: dict[str, str]
    decisions: int
    seen: Counter[str]


def judge(text: str) -> Reading:
    """Reads a whole record.

    :raises Refused: with the first line that is not as the rules and the documented format have it.
    """
    lines = text.split("\n")
    if len(lines) < 3 or lines[-1] != "":
        raise Refused("Line 1: a record has a header, decisions and a result, each with a line break.")
    lines.pop()
    header = _member_line(1, lines[0])
    match, seed = _start(header)
    forfeited: list[int] = []
    faults: Counter[int] = Counter()
    last_fault: dict[int, bool] = {}
    decisions = 0
    for number, line in enumerate(lines[1:-1], start=2):
        entry = _member_line(number, line)
        if match.wants_pack:
            _pack(number, entry, match, header["game"], seed)
            continue
        acting = match.to_act()
        _require(number, bool(acting), "the match was over before")
        seat = acting[0]
        _require(number, entry.get("seat") == seat, f"seat {seat} owes a decision, not {entry.get('seat')}")
        _require(
            number,
            list(entry) in (["seat", "action", "legal", "ms"], ["seat", "action", "legal", "ms", "fault"]),
            "a decision has seat, action, legal, ms and perhaps fault",
        )
        _require(number, type(entry["ms"]) is int and entry["ms"] >= 0, "ms is a whole number")
        legal = match.legal(seat)
        action = entry["action"]
        _require(number, action in legal, f"{action} is not legal; legal are {', '.join(legal)}")
        _require(number, entry["legal"] == len(legal), f"{len(legal)} actions were legal, not {entry['legal']}")
        fault: Any = entry.get("fault")
        _require(number, seat not in forfeited or fault == {"kind": "FORFEITED"}, "the seat is forfeited for good")
        if "fault" in entry:
            _fault(number, fault, action, match.fallback(seat))
            if fault["kind"] == "FORFEITED":
                _require(number, last_fault.get(seat, False), "a seat is forfeited after a fault of its own")
                if seat not in forfeited:
                    forfeited.append(seat)
            else:
                faults[seat] += 1
                match.seen[f"fault {fault['kind']}"] += 1
        last_fault[seat] = "fault" in entry
        match.take(seat, action)
        decisions += 1
    end = len(lines)
    _require(end, not match.wants_pack and not match.to_act(), "the match is not over here")
    result = _member_line(end, lines[-1])
    _require(end, list(result) == ["scores", "forfeited", "places", "hash"], "the result has other members")
    _require(end, result["scores"] == match.scores(), f"the scores are {match.scores()}, not {result['scores']}")
    out = result["forfeited"]
    _require(end, out == sorted(set(out)), "forfeited seats are in order, each once")
    _require(end, set(forfeited) <= set(out), "a forfeited seat is missing")
    for seat in out:  # the fault that forfeits a seat may be its last decision
        _require(end, faults[seat] > 0 and last_fault.get(seat, False), f"seat {seat} has not been forfeited")
    places = _with_forfeits(match, out)
    _require(end, result["places"] == places, f"the places are {places}, not {result['places']}")
    if out:
        match.seen["a seat is forfeited"] += 1
    if len(out) > 1:
        match.seen["several seats are forfeited"] += 1
    told = result.pop("hash")
    body = "".join(line + "\n" for line in lines[:-1])
    proper = hashlib.sha256((body + _compact(result)).encode()).hexdigest()
    _require(end, told == proper, f"the hash is {proper}, not {told}")
    return Reading(header["game"], match.seats, header["options"], decisions, match.seen)


def sealed(lines: list[str]) -> str:
    """A record of these lines with the hash that belongs to them; for tests that alter a record."""
    result = json.loads(lines[-1])
    result.pop("hash", None)
    body = "".join(line + "\n" for line in lines[:-1])
    result["hash"] = hashlib.sha256((body + _compact(result)).encode()).hexdigest()
    return body + _compact(result) + "\n"


def open_match(game: str, seats: int, options: dict[str, str], first_dealer: int, first_trump: str) -> Match:
    """A match of the second reading before its first pack."""
    if game == "callbreak":
        return Callbreak(seats, options, first_dealer)
    if game == "minus":
        return Minus(seats, options, first_dealer)
    if game == "minus_one":
        return MinusOne(seats, options)
    return ContractWhist(seats, options, first_dealer, first_trump)


def drawn(game: str, seats: int, options: dict[str, str], seed: bytes) -> tuple[int, str]:
    """First dealer and first trump of a seed; 0 and "" where the game has none."""
    if game == "minus_one":
        return 0, ""
    chosen = options["first_dealer"]
    dealer = draw(seed, "first_dealer", seats) if chosen == "random" else int(chosen)
    if game != "contract_whist":
        return dealer, ""
    suits = suits_of(options)
    if not suits:
        return dealer, "NT"
    if options["first_trump"] != "random":
        return dealer, options["first_trump"]
    return dealer, suits[draw(seed, "first_trump", len(suits))]


def suits_of(options: dict[str, str]) -> list[str]:
    """The different suits of a trump sequence, as they first occur."""
    suits: list[str] = []
    for one in options["trump_sequence"].split(","):
        if one != "NT" and one not in suits:
            suits.append(one)
    return suits


def proper_pack(match: Match, game: str, seed: bytes) -> list[str]:
    """The pack that the match wants now, by the documented shuffle."""
    cards = shuffled(game, match.seats, seed, match.deal, match.redeal)
    return in_dealing_order(cards, match.seats, match.size(), match.dealer, match.step)


def _start(header: dict[str, Any]) -> tuple[Match, bytes | None]:
    game = header.get("game")
    _require(1, isinstance(game, str) and game in SEATS, f"there is no game {game!r}")
    assert isinstance(game, str)
    secret = "seed" if "seed" in header else "commitment"
    names = ["record", "game", "options", "seats", secret]
    names += ["first_dealer"] if game != "minus_one" else []
    names += ["first_trump"] if game == "contract_whist" else []
    names += ["players", "engine"]
    more = ("clock", "versions", "contents", "tournament", "unit", "rotation")
    names += [name for name in more if name in header]
    _require(1, list(header) == names, f"the members of the header should be {', '.join(names)}")
    seats, options = header["seats"], header["options"]
    _require(1, header["record"] == 1, "the record is of an unknown kind")
    _require(1, seats in SEATS[game], f"the game has no table of {seats}")
    _require(1, all(isinstance(one, str) for one in options.values()), "options are texts")
    wrong = complaint(game, seats, options)
    _require(1, wrong is None, wrong or "")
    _require(1, len(header["players"]) == seats, "every seat has a player")
    versions, contents = header.get("versions", [""] * seats), header.get("contents", [""] * seats)
    _require(1, len(versions) == len(contents) == seats, "every seat has a version and a content, maybe empty")
    _require(1, all(isinstance(one, str) for one in versions), "versions are texts")
    _require(1, all(re.fullmatch("([0-9a-f]{64})?", one) for one in contents), "a content is 64 hex digits or empty")
    hexes = header[secret]
    _require(1, len(hexes) == 64 and set(hexes) <= set("0123456789abcdef"), f"the {secret} is not 64 hex digits")
    seed = bytes.fromhex(hexes) if secret == "seed" else None
    dealer, trump = header.get("first_dealer", 0), header.get("first_trump", "")
    if seed is not None:
        _require(1, (dealer, trump) == drawn(game, seats, options, seed), "the seed draws another dealer or trump")
    else:
        _require(1, dealer in range(seats), f"there is no seat {dealer} to deal")
        fixed = options.get("first_dealer", "random")
        _require(1, fixed in ("random", str(dealer)), "the options name another dealer")
        if game == "contract_whist":
            fixed = options["first_trump"]
            _require(1, trump in (suits_of(options) or ["NT"]), "the first trump is not in the sequence")
            _require(1, trump == "NT" or fixed in ("random", trump), "the options name another first trump")
    return open_match(game, seats, options, dealer, trump), seed


def _pack(number: int, entry: dict[str, Any], match: Match, game: str, seed: bytes | None) -> None:
    _require(number, list(entry) == ["pack"], "a pack is dealt here")
    pack = entry["pack"]
    _require(number, sorted(pack) == sorted(whole_pack(game, match.seats)), "the pack has not the cards of the table")
    if seed is not None:
        _require(number, pack == proper_pack(match, game, seed), "the seed shuffles another pack")
    match.give(pack)


def _fault(number: int, fault: Any, action: str, fallback: str) -> None:
    _require(number, action == fallback, f"after a fault the house plays {fallback}, not {action}")
    if fault.get("kind") == "FORFEITED":
        _require(number, list(fault) == ["kind"], "a forfeited seat has no reason")
        return
    _require(number, fault.get("kind") in FAULTS, f"there is no fault {fault.get('kind')}")
    _require(number, list(fault) == ["kind", "reason"], "a fault has kind and reason")


def _with_forfeits(match: Match, out: list[int]) -> list[int]:
    """Forfeited seats share the last place, the others are placed among themselves."""
    places = match.places()
    stay = [seat for seat in range(match.seats) if seat not in out]
    told = []
    for seat in range(match.seats):
        if seat in out:
            told.append(1 + len(stay))
        else:
            told.append(1 + len([other for other in stay if places[other] < places[seat]]))
    return told


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _member_line(number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        raise Refused(f"Line {number}: this is no JSON.") from None
    _require(number, isinstance(value, dict) and _compact(value) == line, "this is no compact JSON object")
    return dict(value)


def _require(number: int, good: bool, otherwise: str) -> None:
    if not good:
        raise Refused(f"Line {number}: {otherwise}.")

"""Verifies a record by playing it again. Trusts nothing in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from engine import GAMES, VERSION, load_with
from engine.cards import write_card
from engine.game import Game, OutOfPacks, State
from engine.options import write_options
from engine.record.lines import EXTRAS, FAULTS, FORFEITED, RecordError, read_line, split_lines, write_pack
from engine.record.result import seal, with_forfeits

_DRAWS: Final = {"first_dealer": int, "first_trump": str}
_HEX: Final = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of a record. ``fault`` is one of FAULTS, FORFEITED, or empty."""

    seat: int
    action: int
    legal: int
    ms: int
    fault: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verified:
    """A record that holds: its header, the match at its start and at its end, and all decisions between.

    ``scores`` and ``places`` are by seat; forfeited seats share the last place. ``hash`` is 64 hex digits.

    Of a beginning ``hash`` is empty, no seat is forfeited, and scores and places are those after its last decision. If
    the pack of the next deal is not there, the deal that is over lies on the table of ``end``, scored, and nobody has
    to act, whatever that says.
    """

    header: Mapping[str, Any]
    game: Game
    start: State
    end: State
    decisions: tuple[Decision, ...]
    forfeited: tuple[int, ...]
    scores: tuple[int, ...]
    places: tuple[int, ...]
    hash: str


def verify(text: str | bytes, seed: bytes | None = None) -> Verified:
    """What a record says, after playing it again.

    A record with a commitment is played from the packs that it shows; give the ``seed`` once it is revealed, and they
    must also be those that the seed deals.

    :raises RecordError: if anything in it does not hold, with the first line where that shows.
    """
    return _Reading(split_lines(text), seed).verified()


def read_beginning(text: str | bytes) -> Verified:
    """What a record says whose end is missing, from some line on or the result alone, after playing it.

    :raises RecordError: if anything in it does not hold, with the first line where that shows.
    """
    return _Reading(split_lines(text), None).begun()


class _Reading:
    """A record on its way through the engine."""

    def __init__(self, lines: list[str], seed: bytes | None) -> None:
        self._lines = lines
        self._seed = seed
        self._at = 0
        self._header: dict[str, Any] = {}
        self._given_up: set[int] = set()

    def verified(self) -> Verified:
        game, state = self._start()
        start = state.clone()
        decisions = self._decisions(game, state, whole=True)
        return self._result(game, start, state, decisions)

    def begun(self) -> Verified:
        game, state = self._start()
        start = state.clone()
        decisions = self._decisions(game, state, whole=False)
        if not self._at_end():
            raise RecordError(self._at + 1, "The match is over here, and a beginning has no result.")
        return Verified(
            self._header, game, start, state, tuple(decisions), (), tuple(state.scores()), tuple(state.places()), ""
        )

    def _decisions(self, game: Game, state: State, *, whole: bool) -> list[Decision]:
        """Plays the decisions on the state: to the end of the match or, unless the record is ``whole``, as far as there
        are lines."""
        decisions: list[Decision] = []
        dealt = (state.deal, state.redeal)
        self._read_packs(state.packs())
        while state.to_act() and (whole or not self._at_end()):
            decision = self._decision(game, state)
            decisions.append(decision)
            try:
                state.apply(decision.seat, decision.action)
            except OutOfPacks:
                if not whole and self._at_end():
                    break
                raise RecordError(self._at + 1, "A new deal is due here, and the record has no pack for it.") from None
            if dealt != (state.deal, state.redeal):
                if not whole and self._at_end():
                    break
                known = dealt[1] + 1 if dealt[0] == state.deal else 0
                dealt = (state.deal, state.redeal)
                self._read_packs(state.packs(known))
        return decisions

    def _at_end(self) -> bool:
        return self._at == len(self._lines)

    def _start(self) -> tuple[Game, State]:
        header = self._next("the header")
        self._header = header
        if header.get("record") != 1 or isinstance(header.get("record"), bool):
            self._fail('This is no record of version 1: its header must begin with {"record":1.')
        kind = header.get("game")
        if not isinstance(kind, str) or kind not in GAMES:
            self._fail(f"There is no game {kind!r}; games are {', '.join(GAMES)}.")
        options = header.get("options")
        if not isinstance(options, dict) or not _is_number(header.get("seats")):
            self._fail("The header must name options and the number of seats.")
        try:
            game = load_with(kind, header["seats"], options)
        except ValueError as error:
            self._fail(str(error))
        if options != write_options(game.options):
            self._fail("The header must give every option of the game as text.")
        secret = "seed" if "seed" in header else "commitment"
        if not _is_hex(header.get(secret)):
            self._fail(f"The {secret} must be 64 hex digits.")
        sample = game.start(bytes(32))
        drawn = list(game.draws(sample))
        extras = [name for name in EXTRAS if name in header]
        fields = ["record", "game", "options", "seats", secret, *drawn, "players", "engine", *extras]
        if list(header) != fields:
            self._fail(f"The fields of this header must be {', '.join(fields)}, in this order.")
        for name, form in ({name: _DRAWS[name] for name in drawn} | {name: EXTRAS[name] for name in extras}).items():
            self._check_form(name, form, game.seats)
        if not _are_texts(header["players"], game.seats):
            self._fail(f"The header must name {game.seats} players.")
        if not all(text == "" or _is_hex(text) for text in header.get("contents", [])):
            self._fail("The header's contents must be 64 hex digits or nothing for every seat.")
        if header["engine"] != VERSION:
            self._fail(f"The match was played by rules of version {header['engine']!r}, and these are {VERSION!r}.")
        draws = {name: header[name] for name in drawn}
        seed = bytes.fromhex(header["seed"]) if "seed" in header else self._seed
        if self._seed is not None and seed != self._seed:
            self._fail("The record names another seed than the one that was revealed.")
        packs = self._packs(sample) if seed is None else []
        try:
            state = game.start_from(packs, **draws) if seed is None else game.start(seed)
        except OutOfPacks:
            raise RecordError(2, "The first deal is due here, and the record has no pack for it.") from None
        except ValueError as error:
            self._fail(str(error))
        if game.draws(state) != draws:
            self._fail(f"The seed draws {game.draws(state)}, and the header says {draws}.")
        return game, state

    def _check_form(self, name: str, form: type, seats: int) -> None:
        value = self._header[name]
        if form is int and not _is_number(value):
            self._fail(f"The header's {name} must be a whole number.")
        if form is str and not isinstance(value, str):
            self._fail(f"The header's {name} must be a text.")
        if form is list and not _are_texts(value, seats):
            self._fail(f"The header's {name} must be {seats} texts, one for each seat.")

    def _packs(self, sample: State) -> list[list[int]]:
        """All packs of the record, for a match whose seed is not known yet; ``sample`` is any match at the table."""
        packs: list[list[int]] = []
        known = {write_card(card): card for pack in sample.packs()[:1] for card in pack}
        for number, line in enumerate(self._lines, start=1):
            if line.startswith('{"pack":'):
                pack = read_line(number, line)["pack"]
                if not isinstance(pack, list) or not all(isinstance(card, str) and card in known for card in pack):
                    raise RecordError(number, "A pack must be a list of this table's cards, such as TD.")
                cards = [known[card] for card in pack]
                if len(cards) != len(known) or len(set(cards)) != len(known):
                    raise RecordError(number, f"A pack must have each of the {len(known)} cards of this table once.")
                packs.append(cards)
        return packs

    def _read_packs(self, packs: Sequence[Sequence[int]]) -> None:
        """Reads the packs that the match deals here."""
        for pack in packs:
            self._next("a pack")
            if self._lines[self._at - 1] != write_pack(pack):
                self._fail("Here the pack of a new deal must stand, as the seed deals it in dealing order.")

    def _decision(self, game: Game, state: State) -> Decision:
        found = self._next("a decision")
        fields = ["seat", "action", "legal", "ms"] + (["fault"] if "fault" in found else [])
        if list(found) != fields:
            self._fail("Here a decision must stand: seat, action, legal, ms, and fault if there was one.")
        seat, text, legal, ms = found["seat"], found["action"], found["legal"], found["ms"]
        turn = state.to_act()[0]
        if not _is_number(seat) or seat != turn:
            self._fail(f"Seat {turn} decides here, not seat {seat!r}.")
        if not isinstance(text, str):
            self._fail("An action must be a text.")
        try:
            action = game.read(text)
        except ValueError as error:
            self._fail(str(error))
        actions = state.legal(seat)
        if action not in actions:
            self._fail(f"{text} is not legal here; legal are: {', '.join(map(game.write, actions))}.")
        if not _is_number(legal) or legal != len(actions):
            self._fail(f"{len(actions)} actions are legal here, and the record says {legal!r}.")
        if not _is_number(ms):
            self._fail("The time must be a whole number of milliseconds.")
        kind, reason = self._fault(found["fault"]) if "fault" in found else ("", "")
        if kind and action != state.fallback(seat):
            self._fail(f"After a fault the house plays {game.write(state.fallback(seat))}, not {text}.")
        if kind != FORFEITED and seat in self._given_up:
            self._fail(f"Seat {seat} was forfeited before, so this line must say so.")
        if kind == FORFEITED:
            self._given_up.add(seat)
        return Decision(seat, action, legal, ms, kind, reason)

    def _fault(self, found: object) -> tuple[str, str]:
        if found == {"kind": FORFEITED}:
            return FORFEITED, ""
        if not (isinstance(found, dict) and list(found) == ["kind", "reason"] and isinstance(found["reason"], str)):
            self._fail("A fault must have a kind and a reason.")
        if found["kind"] not in FAULTS:
            self._fail(f"There is no fault {found['kind']!r}; faults are {', '.join(FAULTS)}.")
        return found["kind"], found["reason"]

    def _result(self, game: Game, start: State, end: State, decisions: Sequence[Decision]) -> Verified:
        found = self._next("the result")
        if list(found) != ["scores", "forfeited", "places", "hash"]:
            self._fail("The match is over here, so scores, forfeited, places and hash must stand here.")
        seats = found["forfeited"]
        if not (_are_numbers(seats) and seats == sorted(set(seats)) and all(seat < game.seats for seat in seats)):
            self._fail("Forfeited must be a list of seats, ascending.")
        for seat in range(game.seats):
            faults = {decision.fault for decision in decisions if decision.seat == seat}
            if FORFEITED in faults and seat not in seats:
                self._fail(f"Seat {seat} was forfeited during the match and is missing in the list.")
            if seat in seats and faults == {""}:
                self._fail(f"Seat {seat} made no fault, so it cannot be forfeited.")
        if not _same(found["scores"], end.scores()):
            self._fail(f"The scores are {end.scores()}, and the record says {found['scores']}.")
        places = with_forfeits(end.places(), seats)
        if not _same(found["places"], places):
            self._fail(f"The places are {places}, and the record says {found['places']}.")
        if not self._at_end():
            raise RecordError(self._at + 1, "The match is over, and there is something behind the result.")
        body = "".join(line + "\n" for line in self._lines[:-1])
        result = {name: found[name] for name in ("scores", "forfeited", "places")}
        if found["hash"] != seal(body, result):
            self._fail("This record was altered: its hash does not fit.")
        return Verified(
            self._header, game, start, end, tuple(decisions), tuple(seats), tuple(end.scores()), tuple(places),
            found["hash"],
        )  # fmt: skip

    def _next(self, what: str) -> dict[str, Any]:
        if self._at_end():
            raise RecordError(self._at + 1, f"The record ends here, where {what} must stand; it was cut off.")
        self._at += 1
        return read_line(self._at, self._lines[self._at - 1])

    def _fail(self, sentence: str) -> NoReturn:
        raise RecordError(self._at, sentence)


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 53


def _are_numbers(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_number, value))


def _are_texts(value: object, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(isinstance(text, str) for text in value)


def _same(value: object, numbers: list[int]) -> bool:
    return isinstance(value, list) and all(type(number) is int for number in value) and value == numbers


def _is_hex(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= _HEX

"""The lines between the task and the block's process."""

import dataclasses
import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournaments.block import (
    MATCHES_PER_BLOCK,
    Beginning,
    Block,
    BlockLimits,
    BotLog,
    Cause,
    Done,
    Failed,
    MatchReport,
    Player,
    PlayerKind,
    PlayerReport,
    Progress,
    Report,
    ReportedFault,
    UnitKind,
    UnitPlan,
    read_block,
    read_report,
    write_block,
    write_report,
)
from arena.tournaments.lines import BlockError
from arena.tournaments.runs import LogPart, MatchSpan, Run, ThinkTime

law = settings(max_examples=50, deadline=None)
numbers = st.integers(min_value=0, max_value=2**63 - 1)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
secrets = st.binary(min_size=32, max_size=32)


@st.composite
def blocks(draw: st.DrawFn) -> Block:
    seats = draw(st.integers(3, 7))
    kind = draw(st.sampled_from(UnitKind))
    count = seats * draw(st.integers(4, 16)) if kind is UnitKind.FIELD else seats
    rotations = kind.rotations(seats, count)
    row = st.tuples(*[secrets] * seats)
    return Block(
        id=draw(st.integers(1, 2**41 - 1)),
        attempt=draw(texts),
        tournament=draw(texts),
        game=draw(texts),
        engine=draw(texts),
        seats=seats,
        options=draw(st.dictionaries(texts, texts, max_size=3)),
        limits=BlockLimits(*draw(st.tuples(*[st.integers(1, 10**6)] * 4))),
        kind=kind,
        rotations=rotations,
        players=tuple(
            Player(
                entry=f"entry {seat}",
                bot=draw(texts),
                version=draw(st.integers(1, 99)),
                content_hash=draw(texts),
                kind=draw(st.sampled_from(PlayerKind)),
                house=draw(st.booleans()),
                batch=draw(st.integers(1, 256)),
                ticket=draw(texts),
            )
            for seat in range(count)
        ),
        units=tuple(
            UnitPlan(
                unit, draw(secrets), tuple(draw(st.permutations(range(count)))), draw(st.tuples(*[row] * rotations))
            )
            for unit in range(1 if kind is UnitKind.FIELD else draw(st.integers(1, 2)))
        ),
        commitment=draw(secrets),
    )


@st.composite
def matches(draw: st.DrawFn) -> MatchReport:
    seats = draw(st.integers(3, 7))
    scores = draw(st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * seats))
    return MatchReport(
        unit=draw(numbers),
        rotation=draw(st.integers(0, 6)),
        seats=tuple(draw(st.permutations(range(seats)))),
        scores=scores,
        places=tuple(1 + sum(other > score for other in scores) for score in scores),
        forfeited=tuple(sorted(draw(st.sets(st.integers(0, seats - 1))))),
        faults=tuple(
            draw(st.lists(st.builds(ReportedFault, st.integers(0, seats - 1), numbers, texts, texts), max_size=2))
        ),
        decisions=draw(numbers),
        digest=draw(texts),
        record=draw(texts),
    )


runs = st.builds(
    Run,
    *[texts] * 3,
    *[numbers] * 3,
    *[st.none() | numbers] * 2,
    st.dictionaries(texts, numbers, max_size=3),
    st.lists(st.builds(ThinkTime, texts, *[numbers] * 6), max_size=2).map(tuple),
)

reports = st.one_of(
    st.builds(Progress, numbers, numbers),
    st.builds(Beginning, numbers, numbers, st.lists(numbers).map(tuple), texts),
    matches(),
    st.builds(
        PlayerReport,
        numbers,
        st.none() | numbers,
        st.none() | numbers,
        st.dictionaries(texts, numbers, max_size=3),
        st.lists(st.builds(ThinkTime, texts, *[numbers] * 6), max_size=2).map(tuple),
    ),
    st.builds(
        BotLog,
        numbers,
        numbers,
        runs,
        st.lists(st.builds(LogPart, numbers, numbers, texts), max_size=2).map(tuple),
        st.lists(st.builds(MatchSpan, *[numbers] * 4), max_size=2).map(tuple),
    ),
    st.builds(Done, st.sampled_from(["", "root"])),
    st.builds(Failed, texts, st.sampled_from(Cause)),
)


@law
@given(blocks())
def test_a_block_comes_back_from_its_line(block: Block) -> None:
    line = write_block(block)
    assert "\n" not in line
    assert line.isascii()
    assert read_block(line) == block
    assert read_block(line.encode()) == block


@law
@given(reports)
def test_a_report_comes_back_from_its_line(report: Report) -> None:
    line = write_report(report)
    assert "\n" not in line
    assert line.isascii()
    assert read_report(line) == report


@law
@given(blocks(), st.data())
def test_a_line_with_one_thing_wrong_is_refused_in_a_sentence(block: Block, data: st.DataObject) -> None:
    members = json.loads(write_block(block))
    target = data.draw(st.sampled_from([members, members["limits"], members["players"][0], members["units"][0]]))
    name = data.draw(st.sampled_from(sorted(target)))
    change = data.draw(st.sampled_from(["missing", "unknown", "null", "float"]))
    if change == "missing":
        del target[name]
    elif change == "unknown":
        target["surplus"] = 1
    else:
        target[name] = None if change == "null" else 1.0
    with pytest.raises(BlockError, match=r"\.$"):
        read_block(json.dumps(members))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "not JSON"),
        ("[]", "must be a JSON object"),
        ("[" * 100_000, "not JSON"),
        ('{"report":"progress","matches":1,"matches":1,"decisions":0}', "stands twice"),
        ('{"report":"progress","matches":true,"decisions":0}', "matches must be an integer"),
        ('{"report":"progress","matches":9223372036854775808,"decisions":0}', "64 bits"),
        ('{"report":"gossip"}', "report must be one of progress, beginning, match, player, log, done, failed"),
        ('{"report":"failed","reason":"\\u0000","cause":"died"}', "without NUL"),
        ('{"report":"done","tier":"","more":1}', "unknown members: more"),
    ],
)
def test_what_is_wrong_with_a_report_is_said(line: str, sentence: str) -> None:
    with pytest.raises(BlockError, match=sentence):
        read_report(line)


@law
@given(st.text())
def test_no_output_of_a_bot_spoils_its_block(text: str) -> None:
    run = Run("callbreak", "ended", text + "\0", 0, 0, 0, None, None, {}, ())
    log = read_report(write_report(BotLog(0, 0, run, (LogPart(0, 0, text + "\0\ud800"),), ())))
    assert isinstance(log, BotLog)
    assert log.text.endswith("\ufffd\ufffd")
    log.text.encode()
    assert log.run.last_line.endswith("\ufffd")


@law
@given(blocks())
def test_match_ids_are_unique_and_fit_a_javascript_number(block: Block) -> None:
    ids = [block.match_id(at, rotation) for at in range(len(block.units)) for rotation in range(block.rotations)]
    assert len(set(ids)) == block.matches
    assert max(ids) < 2**53
    assert {number // MATCHES_PER_BLOCK for number in ids} == {block.id}


@law
@given(blocks())
def test_every_player_sits_in_every_seat_of_a_rotation_unit_and_in_one_of_any_other(block: Block) -> None:
    players = range(len(block.players))
    for plan in block.units:
        seatings = [plan.seats(rotation) for rotation in range(block.rotations)]
        assert {len(seating) for seating in seatings} == {block.seats}
        if block.kind is UnitKind.ROTATION:
            for seat in range(block.seats):
                assert sorted(seating[seat] for seating in seatings) == list(players)
        else:
            assert sorted(player for seating in seatings for player in seating) == list(players)


@law
@given(blocks())
def test_a_process_meets_a_deal_once(block: Block) -> None:
    assert [rotation for sitting in block.sittings for rotation in sitting] == list(range(block.rotations))
    for plan, sitting in itertools.product(block.units, block.sittings):
        seated = [player for rotation in sitting for player in plan.seats(rotation)]
        assert sorted(seated) == list(range(len(block.players)))


@law
@given(blocks(), st.data())
def test_a_block_that_contradicts_itself_can_not_be_made(block: Block, data: st.DataObject) -> None:
    wrong = data.draw(
        st.sampled_from(
            [
                {"rotations": block.rotations + 1},
                {"players": block.players[1:]},
                {"players": (block.players[0], *block.players[:-1])},
                {"kind": next(kind for kind in UnitKind if kind is not block.kind)},
                {"units": ()},
                {"units": (block.units[0], block.units[0])},
                {"id": 0},
                {"commitment": b""},
            ]
        )
    )
    with pytest.raises(BlockError):
        dataclasses.replace(block, **wrong)  # type: ignore[arg-type]

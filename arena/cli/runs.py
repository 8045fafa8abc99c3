"""What the processes of a bot did, as tables and as JSON, and what they wrote while a match ran. Knows no SQL and no
cell."""

import argparse
import dataclasses
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from google.protobuf.message import Message

from arena.cli.client import Server, calls, find_login
from arena.cli.table import Value, print_table
from arena.errors import BadRequest
from arena.tournaments.runs import Run
from arena.v1 import submission_pb2 as pb
from arena.v1.submission_pb2_grpc import SubmissionServiceStub

LABEL_COLUMNS = 20
"""So wide is the first column of a table at most, so that all of it fits into 80."""
LOOK_MS = 50
"""Output is looked for so often: what was written at the end of a match may have come so much later."""
WELL = "ended by itself with code 0"


def print_runs(runs: Sequence[pb.Run], *, phases: bool) -> None:
    """Two tables: what each run used, and how long it thought, by phase too if wanted; then the ends that are not
    well."""
    if not runs:
        return
    heads = ["Run", "Peak MiB", "CPU s", "Hello s", "Answer s", "Output B", "Faults"]
    rows: list[list[Value]] = [
        [
            label(run),
            run.peak_mib,
            run.cpu_ms / 1000,
            run.hello_ms / 1000 if run.HasField("hello_ms") else None,
            run.answer_ms / 1000 if run.HasField("answer_ms") else None,
            run.written,
            sum(run.faults.values()),
        ]
        for run in runs
    ]
    print_table(heads, rows, decimals={"CPU s": 2, "Hello s": 2, "Answer s": 2})
    heads = ["Answers of", "Phase", "Count", "p50 ms", "p90 ms", "p99 ms", "Max ms", "On bank"]
    rows = [
        [
            label(run),
            one.phase,
            one.answers,
            *(us / 1000 for us in (one.p50_us, one.p90_us, one.p99_us, one.longest_us)),
            one.on_bank,
        ]
        for run in runs
        for one in (run.thinking if phases else run.thinking[:1])
    ]
    if rows:
        print()
        print_table(heads, rows, decimals=dict.fromkeys(heads[3:7], 1))
    for run in runs:
        if run.faults or run.exit != WELL:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(run.faults.items()))
            print(f"{label(run)}: {f'Faults: {kinds}. ' if kinds else ''}{ending(run)}")


def run_show(arguments: argparse.Namespace) -> int:
    """Prints what the bot's newest version did in its validation, and what it did in its last runs."""
    server = Server(find_login(arguments.data))
    stub = SubmissionServiceStub(server.channel)
    with calls(server):
        version = stub.GetVersion(pb.GetVersionRequest(bot=arguments.name), metadata=server.metadata)
        asked = pb.ListRunsRequest(bot=arguments.name, page_size=arguments.runs)
        played = stub.ListRuns(asked, metadata=server.metadata).runs
    if arguments.json:
        print(json.dumps({"validation": list(map(plain, version.runs)), "runs": list(map(plain, played))}))
        return 0
    print(f"{version.bot} version {version.number}: {len(version.runs)} runs at its validation")
    print_runs(version.runs, phases=True)
    print(f"\n{len(played)} runs in tournaments, the newest first")
    if played:
        print_runs(played, phases=False)
        newest = played[0]
        match = f"{newest.tournament}/{newest.first_unit}/{newest.rotation}"
        print(f"next: arena bot log {arguments.name} --match {match}")
    return 0


def run_log(arguments: argparse.Namespace) -> int:
    """Prints what a bot wrote while a match ran, or in all of that run."""
    tournament, unit, rotation = match_of(arguments.match)
    server = Server(find_login(arguments.data))
    request = pb.GetRunLogRequest(bot=arguments.name, tournament=tournament, unit=unit, rotation=rotation)
    with calls(server):
        log = SubmissionServiceStub(server.channel).GetRunLog(request, metadata=server.metadata)
    if arguments.json:
        print(json.dumps(plain(log)))
        return 0
    own = next((span for span in log.matches if span.unit == unit), None)
    if own is None:
        print(f"{arguments.match}: when the match ran is not known; this is all of the run")
    else:
        others = [span for span in log.matches if span is not own and overlap(span, own)]
        ran = f"from {own.begun_ms / 1000:.2f} s to {own.ended_ms / 1000:.2f} s after the launch"
        print(f"{arguments.match}: match {own.match_id} ran {ran},")
        print(f"and {len(others)} other matches of the run at the same time")
    print_runs([log.run], phases=True)
    whole = arguments.whole or own is None
    print(f"--- what it wrote {'from its launch to its end' if whole else 'meanwhile, in any of these matches'}")
    text = printable("".join(part.text for part in log.parts if whole or own is None or meanwhile(part, own)))
    print(text.rstrip("\n") or f"(nothing{'' if whole else '; --whole prints all of the run'})")
    return 0


def messages(runs: Iterable[Run]) -> list[pb.Run]:
    """Runs that were measured here, as the server sends them."""
    return [pb.Run(**dataclasses.asdict(run)) for run in runs]


def match_of(text: str) -> tuple[str, int, int]:
    """Tournament, unit and rotation.

    :raises BadRequest: if the text is not made like that.
    """
    found = re.fullmatch(r"([^/]+)/(\d{1,9})/(\d{1,9})", text)
    if found is None:
        raise BadRequest(f"'{text}' is no match; write TOURNAMENT/UNIT/ROTATION, such as cup/12/0")
    return found[1], int(found[2]), int(found[3])


def overlap(one: pb.MatchSpan, other: pb.MatchSpan) -> bool:
    """Whether both matches ran at some moment."""
    return one.begun_ms <= other.ended_ms and other.begun_ms <= one.ended_ms


def meanwhile(part: pb.LogPart, match: pb.MatchSpan) -> bool:
    """Whether some of the output may be of the time of the match."""
    return match.begun_ms <= part.until_ms and part.since_ms <= match.ended_ms + LOOK_MS


def label(run: pb.Run) -> str:
    """Tournament, units and rotation, shortened; of a validation match the game."""
    if not run.tournament:
        return run.game
    last = run.first_unit + run.units - 1
    units = str(last) if last == run.first_unit else f"{run.first_unit}-{last}"
    room = LABEL_COLUMNS - len(units) - len(str(run.rotation)) - 2
    name = run.tournament if len(run.tournament) <= room else f"{run.tournament[: room - 1]}…"
    return f"{name}/{units}/{run.rotation}"


def ending(run: pb.Run) -> str:
    """How it ended, with the last line of its output."""
    return f"It {run.exit}.{f' Its last line: {run.last_line}' if run.last_line else ''}"


def printable(text: str) -> str:
    """The text without what a terminal takes for a command."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "?" for sign in text)


def plain(message: Message) -> dict[str, Any]:
    """The fields of a message for JSON: absent ones are null, times are ISO 8601."""
    found: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            found[field.name] = dict(value)
        elif isinstance(value, Message):
            found[field.name] = None if not message.HasField(field.name) else _inner(value)
        elif not isinstance(value, str | bytes) and isinstance(value, Sequence):
            found[field.name] = [_inner(item) if isinstance(item, Message) else item for item in value]
        elif field.has_presence and not message.HasField(field.name):
            found[field.name] = None
        else:
            found[field.name] = value
    return found


def _inner(value: Any) -> Any:
    return value.ToJsonString() if value.DESCRIPTOR.full_name == "google.protobuf.Timestamp" else plain(value)

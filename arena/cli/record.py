"""`arena record`: reads, checks and shows record files, fetches those of a tournament, prunes old ones. Knows no
rules."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import grpc

import engine
from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_data_option
from arena.cli.table import Value, print_table
from arena.cli.wait import waiting
from arena.errors import ArenaError, BadRequest
from arena.referee.presets import describe_clock
from arena.referee.times import clock_of_record, seat_times
from arena.v1 import match_pb2 as pb
from arena.v1.match_pb2_grpc import MatchServiceStub
from engine.record import RecordError, Verified, verify


def add_commands(commands: Any) -> None:
    """Adds `arena record show`, `verify`, `fetch` and `prune`."""
    parser = commands.add_parser("record", help="read and check the record of a match")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    show = actions.add_parser("show", help="print a match deal by deal")
    show.add_argument("files", nargs="+", metavar="FILE")
    show.set_defaults(run=run_show)
    check = actions.add_parser("verify", help="play a record through the engine and compare every line")
    check.add_argument("files", nargs="+", metavar="FILE")
    check.set_defaults(run=run_verify)
    fetch = actions.add_parser("fetch", help="write the records of a tournament's finished matches into a folder")
    fetch.add_argument("tournament", metavar="TOURNAMENT")
    fetch.add_argument("folder", type=Path, metavar="FOLDER")
    fetch.set_defaults(run=run_fetch)
    prune = actions.add_parser(
        "prune", help="delete records and bots' logs of tournaments that closed long ago; results stay; for admins"
    )
    prune.add_argument("--older-than", type=_days, required=True, metavar="DAYS", help="since the close, such as 90d")
    prune.add_argument("--dry-run", action="store_true", help="say what would be deleted, and delete nothing")
    prune.add_argument("--json", action="store_true", help="print JSON")
    prune.set_defaults(run=run_prune)
    for parser in (fetch, prune):
        add_data_option(parser)


def run_verify(arguments: argparse.Namespace) -> int:
    """0 when every file is a true record, else 1."""
    refused = 0
    for file in arguments.files:
        try:
            verified = verify(_text(file))
        except RecordError as error:
            refused += 1
            print(f"{file}: refused: {error}", file=sys.stderr)
            continue
        decisions, places = len(verified.decisions), _row(verified.places)
        print(f"{file}: verified: {verified.game.title}, {decisions} decisions, places {places}")
    return 1 if refused else 0


def run_show(arguments: argparse.Namespace) -> int:
    """Prints each file; a file that does not verify is shown up to the line that is wrong."""
    code = 0
    for file in arguments.files:
        text = _text(file)
        verified, wrong = None, None
        try:
            verified = verify(text)
        except RecordError as error:
            wrong = error
        for line in text.splitlines()[: wrong.line - 1 if wrong is not None else None]:
            print(sentence(json.loads(line)))
        if verified is not None:
            _show_times(verified)
        if wrong is not None:
            print(f"{file}: refused: {wrong}", file=sys.stderr)
            code = 1
    return code


def run_fetch(arguments: argparse.Namespace) -> int:
    """Writes UNIT-ROTATION.jsonl for each match; those that are there already are not fetched again."""
    server = Server(find_login(arguments.data))
    stub = MatchServiceStub(server.channel)
    folder: Path = arguments.folder
    fetched = there = pruned = 0
    token = ""
    try:
        with waiting(f"fetching the records of {arguments.tournament}") as shown, calls(server):
            while True:
                request = pb.ListMatchesRequest(tournament=arguments.tournament, page_size=1000, page_token=token)
                page = stub.ListMatches(request, metadata=server.metadata)
                folder.mkdir(parents=True, exist_ok=True)
                for match in page.matches:
                    file = folder / f"{match.unit}-{match.rotation}.jsonl"
                    if file.exists():
                        there += 1
                        continue
                    wanted = pb.GetRecordRequest(
                        tournament=arguments.tournament, unit=match.unit, rotation=match.rotation
                    )
                    try:
                        text = stub.GetRecord(wanted, metadata=server.metadata).text
                    except grpc.RpcError as error:
                        # The match is played, or it would not be listed.
                        if error.code() != grpc.StatusCode.NOT_FOUND:
                            raise
                        pruned += 1
                        continue
                    unfinished = file.with_suffix(".part")
                    unfinished.write_text(text, encoding="utf-8")
                    unfinished.rename(file)
                    fetched += 1
                    shown(f"fetching the records of {arguments.tournament}: {fetched}")
                token = page.next_page_token
                if not token:
                    break
    except OSError as error:
        raise ArenaError(f"cannot write into {folder}: {error.strerror}; name another folder") from error
    lost = f", {pruned} were pruned on the server" if pruned else ""
    print(f"{folder}: {fetched} records fetched, {there} were there{lost}; next: arena record verify {folder}/*.jsonl")
    return 0


def run_prune(arguments: argparse.Namespace) -> int:
    """Prints a line for every tournament that lost its records, or would."""
    server = Server(find_login(arguments.data))
    request = pb.PruneRecordsRequest(days=arguments.older_than, dry_run=arguments.dry_run)
    with waiting("pruning records"), calls(server):
        found = MatchServiceStub(server.channel).PruneRecords(request, metadata=server.metadata).tournaments
    rows: list[list[Value]] = [[one.tournament, one.blocks, one.bytes / (1 << 20), one.runs] for one in found]
    if arguments.json or rows:
        heads = ["Tournament", "Blocks", "MiB", "Runs"]
        print_table(heads, rows, decimals={"MiB": 1}, as_json=arguments.json)
    if arguments.json:
        return 0
    if not rows:
        print(f"no closed tournament older than {arguments.older_than}d has a record left")
    elif arguments.dry_run:
        print("nothing was deleted: without --dry-run all this goes; results, digests and ratings stay")
    else:
        print("these records and bots' logs are deleted; results, digests and ratings stay")
    return 0


def _show_times(record: Verified) -> None:
    """What each seat did with its time."""
    limits = clock_of_record(record)
    print(f"clock {describe_clock(limits, record.game)}" if limits is not None else "no clock")
    names: list[str] = record.header["players"]
    rows: list[list[Value]] = [
        [seat, name, time.answers, _s(time.used_ms), _s(time.longest_ms), time.longest_at, _s(time.bank_ms)]
        for seat, (name, time) in enumerate(zip(names, seat_times(record), strict=True))
    ]
    heads = ["Seat", "Bot", "Answers", "Used s", "Longest s", "Decision", "Bank left s"]
    print_table(heads, rows, decimals=dict.fromkeys(("Used s", "Longest s", "Bank left s"), 3))


def _s(ms: int | None) -> Value:
    return None if ms is None else ms / 1000


def sentence(line: dict[str, Any]) -> str:
    """A record line as a line to read."""
    if "record" in line:
        game = engine.load_with(line["game"], line["seats"], line["options"])
        players = "  ".join(f"{seat} {name}" for seat, name in enumerate(line["players"]))
        return "\n".join([f"{game.title}, {line['seats']} seats: {players}", *_versions(line)])
    if "pack" in line:
        return f"deal: {' '.join(line['pack'])}"
    if "scores" in line:
        return f"scores {_row(line['scores'])}  places {_row(line['places'])}"
    fault = line.get("fault")
    return f"  {line['seat']}  {line['action']}" + (f"   [{_told(fault)}]" if fault else "")


def _versions(header: dict[str, Any]) -> list[str]:
    """Which version of its bot sat in each seat, a line each; none for a record that does not say."""
    seats = zip(header["players"], header.get("versions", ()), header.get("contents", ()), strict=False)
    return [
        f"  {seat} {name}: version {version or 'unnamed'}, {f'content {content}' if content else 'not hosted'}"
        for seat, (name, version, content) in enumerate(seats)
    ]


def _told(fault: dict[str, str]) -> str:
    return ": ".join(fault[name] for name in ("kind", "reason") if name in fault)


def _row(numbers: Any) -> str:
    return " ".join(str(number) for number in numbers)


def _days(text: str) -> int:
    """The days of an argument such as 90d; for argparse."""
    number = text.removesuffix("d")
    if not (text.endswith("d") and number.isascii() and number.isdecimal() and len(number) < 10):
        raise argparse.ArgumentTypeError(f"'{text}' is no age; write it in days, such as 90d")
    return int(number)


def _text(file: str) -> str:
    try:
        return Path(file).read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise BadRequest(f"cannot read {file}: {error.strerror}; give the path of a record file") from error

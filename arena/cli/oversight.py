"""`arena alarms` and `arena audit`: what a person should look at, and what people have done. Knows no SQL."""

import argparse
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from arena.cli.client import Server, calls, find_login
from arena.cli.corrections import number
from arena.cli.data import add_data_option, positive
from arena.cli.table import Value, print_table
from arena.v1 import oversight_pb2 as pb
from arena.v1.oversight_pb2_grpc import OversightServiceStub

PAGE = 200


def add_commands(commands: Any) -> None:
    """Adds `arena alarms` and `arena audit`."""
    alarms = commands.add_parser("alarms", help="what somebody should look at")
    alarms.add_argument("--all", action="store_true", help="those that somebody has dealt with, too")
    alarms.add_argument("--json", action="store_true", help="print JSON")
    alarms.set_defaults(run=run_alarms)
    actions = alarms.add_subparsers(metavar="ACTION")
    settle = actions.add_parser("settle", help="say that you have dealt with an alarm")
    settle.add_argument("alarm", type=number, metavar="ID")
    settle.add_argument("--reason", default="", metavar="TEXT", help="what you found, or did")
    settle.set_defaults(run=run_settle)

    audit = commands.add_parser("audit", help="what admins and organisers have done, newest first; times are in UTC")
    audit.add_argument("--json", action="store_true", help="print JSON")
    audit.add_argument("--last", type=positive, default=50, metavar="N", help="so many (default 50)")
    audit.set_defaults(run=run_audit)
    for parser in (alarms, settle, audit):
        add_data_option(parser)


def run_alarms(arguments: argparse.Namespace) -> int:
    """Prints the alarms, newest first."""
    server = Server(find_login(arguments.data))
    found: list[pb.Alarm] = []
    token = ""
    while True:
        request = pb.ListAlarmsRequest(settled=arguments.all, page_size=PAGE, page_token=token)
        with calls(server):
            page = OversightServiceStub(server.channel).ListAlarms(request, metadata=server.metadata)
        found += page.alarms
        token = page.next_page_token
        if not token:
            break
    if arguments.json:
        rows: list[list[Value]] = [
            [
                *(one.alarm, exactly(one.create_time), one.kind, one.sentence),
                *(one.tournament or None, one.block or None, one.settled_by or None),
                exactly(one.settle_time) if one.settled_by else None,
            ]
            for one in found
        ]
        heads = ["Id", "Raised", "Kind", "Sentence", "Tournament", "Block", "Settled by", "Settled"]
        print_table(heads, rows, as_json=True)
        return 0
    for one in found:
        settled = f", settled by {one.settled_by} {when(one.settle_time)}" if one.settled_by else ""
        print(f"{one.alarm}  {when(one.create_time)}  {one.kind}{settled}\n   {one.sentence}")
    if not found:
        print("there are no alarms" if arguments.all else "there are no open alarms")
    return 0


def run_settle(arguments: argparse.Namespace) -> int:
    """Settles one alarm."""
    server = Server(find_login(arguments.data))
    request = pb.SettleAlarmRequest(alarm=arguments.alarm, reason=arguments.reason)
    with calls(server):
        settled = OversightServiceStub(server.channel).SettleAlarm(request, metadata=server.metadata)
    print(f"alarm {settled.alarm} is settled by {settled.settled_by}, {when(settled.settle_time)}")
    return 0


def run_audit(arguments: argparse.Namespace) -> int:
    """Prints the newest acts."""
    server = Server(find_login(arguments.data))
    moment = exactly if arguments.json else when
    rows: list[list[Value]] = []
    token = ""
    while len(rows) < arguments.last:
        request = pb.ListActsRequest(page_size=min(PAGE, arguments.last - len(rows)), page_token=token)
        with calls(server):
            page = OversightServiceStub(server.channel).ListActs(request, metadata=server.metadata)
        rows += [
            [one.act, moment(one.create_time), one.who, one.what, one.tournament, one.subject, one.reason]
            for one in page.acts
        ]
        token = page.next_page_token
        if not token:
            break
    if arguments.json:
        print_table(["Id", "Time", "Who", "What", "Tournament", "Subject", "Reason"], rows, as_json=True)
        return 0
    for act, time, who, what, tournament, subject, reason in rows:
        about = subject if tournament in {"", subject} else f"{tournament}: {subject}"
        print(f"{act}  {time}  {who}  {what}  {about}")
        if reason:
            print(f"   {reason}")
    if not rows:
        print("nobody has done anything yet that you may see")
    return 0


def when(moment: Timestamp) -> str:
    """The minute, in UTC."""
    return f"{moment.ToDatetime():%Y-%m-%d %H:%M}"


def exactly(moment: Timestamp) -> str:
    """The second, in UTC, for programs."""
    return f"{moment.ToDatetime():%Y-%m-%dT%H:%M:%SZ}"

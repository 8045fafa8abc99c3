"""`arena bot`: an author's life: scaffold, check, submit, list, log, show, enable, notify, retire. Knows no SQL."""

import argparse
import json
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from arena.cli import runs
from arena.cli.client import Server, calls, find_login
from arena.cli.data import add_data_option, positive
from arena.cli.table import Value, print_table
from arena.cli.wait import waiting
from arena.errors import AlreadyExists, ArenaError, BadRequest
from arena.v1 import submission_pb2 as pb
from arena.v1.submission_pb2_grpc import SubmissionServiceStub

CHUNK = 64 * 1024
LOG_HEAD, LOG_TAIL, LOG_COLUMNS = 10, 40, 200
STATES = {
    pb.VERSION_STATE_VALIDATING: "validating",
    pb.VERSION_STATE_ACTIVE: "active",
    pb.VERSION_STATE_REJECTED: "rejected",
    pb.VERSION_STATE_REPLACED: "replaced",
}
FIRST_BOT = '''"""A first bot: plays the first legal action. Make it better from here."""

from arena.bot import Turn, run


def choose(turn: Turn) -> int:
    return turn.legal[0]


if __name__ == "__main__":
    run(choose, name="{name}", games=[{games}])
'''
FIRST_MANIFEST = """name = "{name}"
entry = "main.py"
games = [{games}]
"""


def add_commands(commands: Any) -> None:
    """Adds `arena bot …`."""
    parser = commands.add_parser("bot", help="write, check, submit and watch bots")
    actions = parser.add_subparsers(metavar="ACTION", required=True)

    new = actions.add_parser("new", help="make a folder with a bot that plays")
    new.add_argument("name", metavar="NAME", help="name of the bot and of its folder")
    new.add_argument("--game", action="append", default=[], help="a game it plays; give it again for more")
    new.set_defaults(run=run_new)

    check = actions.add_parser("check", help="do here what the server does with a submission")
    check.add_argument("folder", type=Path, metavar="FOLDER", help="the folder that holds bot.toml")
    check.set_defaults(run=run_check)

    submit = actions.add_parser("submit", help="upload a bot and wait until it is accepted or rejected")
    submit.add_argument("folder", type=Path, metavar="FOLDER", help="the folder that holds bot.toml")
    submit.add_argument("--no-wait", action="store_true", help="return as soon as it is uploaded")
    submit.set_defaults(run=run_submit)

    listing = actions.add_parser("list", help="the bots on the server")
    listing.add_argument("--game", default="", help="only those that play it")
    listing.add_argument("--json", action="store_true", help="print JSON")
    listing.set_defaults(run=run_list)

    log = actions.add_parser("log", help="what a bot wrote while it was validated, and what it did wrong since")
    log.add_argument("name", metavar="BOT")
    log.add_argument("--version", type=positive, default=0, metavar="N", help="default the newest")
    log.add_argument(
        "--match", default="", metavar="TOURNAMENT/UNIT/ROTATION", help="what it wrote while this match ran"
    )
    log.add_argument("--whole", action="store_true", help="with --match, all that its process wrote")
    log.add_argument("--json", action="store_true", help="print JSON")
    log.set_defaults(run=run_log)

    show = actions.add_parser("show", help="what a bot's processes used, how long it thought and how they ended")
    show.add_argument("name", metavar="BOT")
    show.add_argument("--runs", type=positive, default=20, metavar="N", help="the last N in tournaments, default 20")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.set_defaults(run=runs.run_show)

    enable = actions.add_parser("enable", help="let a bot play again that was disabled for its forfeits")
    enable.add_argument("name", metavar="BOT")
    enable.set_defaults(run=run_enable)

    notify = actions.add_parser("notify", help="be told over HTTP what a bot does wrong")
    notify.add_argument("name", metavar="BOT")
    where = notify.add_mutually_exclusive_group(required=True)
    where.add_argument("url", nargs="?", default="", metavar="URL", help="takes a POST with JSON")
    where.add_argument("--off", action="store_true", help="be told no more")
    notify.set_defaults(run=run_notify)

    retire = actions.add_parser("retire", help="take a bot out of future tournaments")
    retire.add_argument("name", metavar="BOT")
    retire.set_defaults(run=run_retire)

    for action in (submit, listing, log, show, enable, notify, retire):
        add_data_option(action)


def run_new(arguments: argparse.Namespace) -> int:
    """Writes NAME/bot.toml and NAME/main.py."""
    import engine
    from sandbox.archive import ArchiveError, parse_manifest

    try:
        games = [engine.find(game)[0].id for game in arguments.game] or sorted(engine.GAMES)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    folder = Path(arguments.name)
    if folder.exists():
        raise AlreadyExists(f"{folder} exists; choose another name or remove it")
    words = {"name": folder.name, "games": ", ".join(f'"{game}"' for game in games)}
    manifest = FIRST_MANIFEST.format(**words)
    try:
        parse_manifest(manifest.encode())
    except ArchiveError as error:
        raise BadRequest(str(error)) from error
    try:
        folder.mkdir(parents=True)
        (folder / "bot.toml").write_text(manifest)
        (folder / "main.py").write_text(FIRST_BOT.format(**words))
    except OSError as error:
        raise ArenaError(f"cannot write {folder}: {error.strerror}; choose another place") from error
    others = " ".join(["random"] * (engine.GAMES[games[0]].usual_seats - 1))
    print(f"{folder}/main.py is a bot that plays; next: arena play {games[0]} {folder} {others}")
    return 0


def run_check(arguments: argparse.Namespace) -> int:
    """Packs the folder, looks at it as the server does and plays the validation matches in cells; 0 when the bot would
    be accepted, 1 when it would be rejected."""
    from arena.tournaments.check import check_folder

    with waiting("packing it") as shown:
        verdict = check_folder(arguments.folder, shown)
    if verdict.log:
        print(excerpt(verdict.log))
    runs.print_runs(runs.messages(verdict.runs), phases=True)
    if not verdict.admitted:
        print(f"it would be rejected: {verdict.reason}", file=sys.stderr)
        print(f"next: mend it, then: arena bot check {arguments.folder}", file=sys.stderr)
        return 1
    print(f"it would be accepted; next: arena bot submit {arguments.folder}")
    return 0


def run_submit(arguments: argparse.Namespace) -> int:
    """Streams the archive; 0 when the version is active, 1 when it was rejected."""
    from arena.tournaments.door import carry
    from sandbox.archive import ArchiveError
    from sandbox.program import ANY_MACHINE

    try:
        # The server's machine need not be of the author's kind, and it looks for itself.
        archive, manifest, _ = carry(arguments.folder, ANY_MACHINE)
    except ArchiveError as error:
        raise ArenaError(f"{error} 'arena bot check {arguments.folder}' looks again") from error
    server = Server(find_login(arguments.data))
    version = upload(server, manifest.name, archive)
    print(f"{version.bot} version {version.number} is uploaded ({len(archive):,} bytes, {version.content_hash[:12]})")
    if arguments.no_wait:
        return 0
    with waiting("waiting for its validation matches") as say:
        version = wait_until_judged(server, version, say)
    if version.state == pb.VERSION_STATE_REJECTED:
        print(f"{version.bot} version {version.number} is rejected: {version.reason}", file=sys.stderr)
        if version.log:
            shown = excerpt(version.log)
            print(f"--- its own log\n{shown}", file=sys.stderr)
            if shown != version.log.rstrip():
                print(f"--- 'arena bot log {version.bot}' prints all of it", file=sys.stderr)
        return 1
    runs.print_runs(version.runs, phases=True)
    print(f"{version.bot} version {version.number} is active; it plays {', '.join(version.games)}")
    return 0


def upload(server: Server, name: str, archive: bytes) -> pb.Version:
    """Sends one archive and returns the version that the server made of it."""
    request_id = str(uuid.uuid4())

    def parts() -> Iterator[pb.CreateVersionRequest]:
        header = pb.VersionHeader(bot=name, size=len(archive), request_id=request_id)
        yield pb.CreateVersionRequest(header=header)
        for start in range(0, len(archive), CHUNK):
            yield pb.CreateVersionRequest(chunk=archive[start : start + CHUNK])

    with calls(server):
        return SubmissionServiceStub(server.channel).CreateVersion(parts(), metadata=server.metadata)


def wait_until_judged(server: Server, version: pb.Version, say: Callable[[str], None] = lambda _: None) -> pb.Version:
    """Asks twice a second until the version is no longer being validated. ``say`` is told why no worker does it."""
    stub = SubmissionServiceStub(server.channel)
    request = pb.GetVersionRequest(bot=version.bot, number=version.number)
    while version.state == pb.VERSION_STATE_VALIDATING:
        time.sleep(0.5)
        with calls(server):
            version = stub.GetVersion(request, metadata=server.metadata)
        if version.state == pb.VERSION_STATE_VALIDATING and version.reason:
            say(version.reason)
    return version


def run_list(arguments: argparse.Namespace) -> int:
    """Prints the bots."""
    server = Server(find_login(arguments.data))
    rows: list[list[Value]] = []
    token = ""
    while True:
        request = pb.ListBotsRequest(game=arguments.game, page_size=200, page_token=token)
        with calls(server):
            page = SubmissionServiceStub(server.channel).ListBots(request, metadata=server.metadata)
        for bot in page.bots:
            remote = bot.kind == pb.BOT_KIND_REMOTE
            state = "retired" if bot.retired else "remote" if remote else STATES.get(bot.latest.state, "")
            rows.append([bot.bot, bot.owner, bot.latest.number or None, state, " ".join(bot.games)])
        token = page.next_page_token
        if not token:
            break
    print_table(["Bot", "Owner", "Version", "State", "Games"], rows, as_json=arguments.json)
    return 0


def run_log(arguments: argparse.Namespace) -> int:
    """Prints state, reason and log of a version, and what the bot did wrong in matches; or the log of one match."""
    if arguments.whole and not arguments.match:
        raise BadRequest("--whole is of a match: name one with --match TOURNAMENT/UNIT/ROTATION")
    if arguments.version and arguments.match:
        raise BadRequest("a match was played by one version: leave out --version or --match")
    if arguments.match:
        return runs.run_log(arguments)
    server = Server(find_login(arguments.data))
    with calls(server):
        request = pb.GetVersionRequest(bot=arguments.name, number=arguments.version)
        version = SubmissionServiceStub(server.channel).GetVersion(request, metadata=server.metadata)
    with calls(server):
        asked = pb.ListNoticesRequest(bot=arguments.name)
        told = SubmissionServiceStub(server.channel).ListNotices(asked, metadata=server.metadata)
    if arguments.json:
        print(json.dumps({"version": runs.plain(version), **runs.plain(told)}))
        return 0
    print(f"{version.bot} version {version.number}: {STATES.get(version.state, '?')}. {version.reason}".rstrip())
    print(runs.printable(version.log) or "(it wrote nothing)")
    if told.notices:
        print("--- in its matches")
    for notice in told.notices:
        print(notice_line(notice))
    if told.notify_url:
        print(f"--- told at {told.notify_url}{f', where it failed: {told.notify_error}' if told.notify_error else ''}")
    if told.disabled:
        print(f"--- {told.disabled}")
    return 0


def notice_line(notice: pb.Notice) -> str:
    """One line of a bot's log."""
    what = f"{notice.count} faults" if notice.what == "faults" else f"{notice.what} ({notice.count} in a row)"
    when = notice.time.ToDatetime().strftime("%Y-%m-%d %H:%M:%SZ")
    return f"{when} {what}: {notice.match}, seat {notice.seat}: {notice.kind}, {notice.reason}"


def run_notify(arguments: argparse.Namespace) -> int:
    """Says where the owner is told of notices."""
    server = Server(find_login(arguments.data))
    with calls(server):
        request = pb.NotifyBotRequest(bot=arguments.name, url=arguments.url)
        SubmissionServiceStub(server.channel).NotifyBot(request, metadata=server.metadata)
    print(f"notices about {arguments.name} go to {arguments.url or 'its log alone'}")
    return 0


def run_enable(arguments: argparse.Namespace) -> int:
    """Lets a bot play again."""
    server = Server(find_login(arguments.data))
    with calls(server):
        request = pb.EnableBotRequest(bot=arguments.name)
        SubmissionServiceStub(server.channel).EnableBot(request, metadata=server.metadata)
    print(f"{arguments.name} may play; a remote bot has to be started again")
    return 0


def run_retire(arguments: argparse.Namespace) -> int:
    """Retires a bot."""
    server = Server(find_login(arguments.data))
    with calls(server):
        request = pb.RetireBotRequest(bot=arguments.name)
        SubmissionServiceStub(server.channel).RetireBot(request, metadata=server.metadata)
    print(f"{arguments.name} is retired; tournaments that have started go on with it")
    return 0


def excerpt(log: str) -> str:
    """What fits on a terminal: the first and the last lines, none of them long."""
    lines = [line if len(line) <= LOG_COLUMNS else f"{line[:LOG_COLUMNS]} …" for line in log.rstrip().splitlines()]
    left_out = len(lines) - LOG_HEAD - LOG_TAIL
    if left_out > 0:
        lines[LOG_HEAD:-LOG_TAIL] = [f"… {left_out} lines …"]
    return runs.printable("\n".join(lines))

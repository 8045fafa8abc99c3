"""What the page of a rating table costs: ``python -m benchmarks.pages``, seconds.

A table of so many bots, from the message of the API to the text of the page, in processor time; with --whole from the
request to the page, through the API and a database.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import grpc
from starlette.applications import Starlette
from starlette.types import Message, Scope

import engine
from arena.api.access import Database
from arena.api.rating import Ratings
from arena.ratings import official, periods, tables
from arena.scopes import READ
from arena.stack import Stack
from arena.store import connect, migrate, people
from arena.v1 import rating_pb2
from arena.v1.rating_pb2_grpc import add_RatingServiceServicer_to_server
from arena.web.api import Api, Visitor
from arena.web.app import create
from arena.web.lines import HIDDEN, Chosen
from arena.web.page import templates
from arena.web.pages.ratings import pool_of
from benchmarks.crowded import GAME, fill

RUNS = 15


def table_of(bots: int) -> bytes:
    """The message of a table with so many bots."""
    table = rating_pb2.RatingTable(game="callbreak", seats=4, unit_kind="rotation", score_decimals=1, pool=1)
    for place in range(bots):
        table.ratings.add(
            place=place + 1,
            bot=f"bot-{place:05d}",
            owner=f"owner-{place % 50}",
            version=1,
            micro_elo=1_500_000_000 - 100_000 * place,
            units=100,
            matches=400,
            mean_milli_points=123_456 - place,
            faults=place % 7,
            fitted=rating_pb2.Fitted(
                micro_elo=1_600_000_000 - 123_456 * place,
                micro_margin=20_000_000 + place,
                first_rank=max(1, place - 4),
                last_rank=place + 5,
                deals=100,
                milli_points_margin=999,
            ),
        )
    return table.SerializeToString()


def page_of(message: bytes) -> str:
    """The text of its page."""
    chosen = Chosen()
    pool = pool_of(rating_pb2.RatingTable.FromString(message), chosen)
    return templates.get_template("ratings.html").render(
        visitor=Visitor(""),
        games=tuple(engine.GAMES),
        path="/ratings/callbreak",
        game="callbreak",
        pools=[pool],
        shown=[pool],
        chosen=chosen,
        hidden=HIDDEN,
    )


async def whole(url: str) -> None:
    """Prints what the page of a table costs the API, its database and the pages together, and how long it takes: the
    first time after a period, and again."""
    with connect(url) as connection:
        token = people.add_token(connection, "owner-0", "pages", scopes=[READ])
    took: dict[str, list[tuple[float, float]]] = {"after a period": [], "again": []}
    for _ in range(RUNS):
        database = Database(url, size=1)
        server = grpc.aio.server()
        add_RatingServiceServicer_to_server(Ratings(database), server)  # which has kept nothing
        api = Api(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}", token)
        await server.start()
        await api.channel.channel_ready()
        app = create(api)
        backend = Path(f"/proc/{await database.ask(lambda connection: connection.info.backend_pid)}/schedstat")
        await database.ask(tables.table, GAME, 0)  # a server's connections have been asked before
        for found in took.values():
            began, busy = time.perf_counter(), time.process_time() + on_processor_s(backend)
            page = await asked(app, f"/ratings/{GAME}")
            busy = time.process_time() + on_processor_s(backend) - busy
            found.append((1000 * (time.perf_counter() - began), 1000 * busy))
        await api.close()
        await server.stop(None)
        database.close()
    for what, both in took.items():
        clock, busy_ms = zip(*both, strict=True)
        print(
            f"the page {what}: {statistics.median(busy_ms):.0f} ms of processors (least {min(busy_ms):.0f}), "
            f"{statistics.median(clock):.0f} ms by the clock (least {min(clock):.0f}), {len(page) >> 10} KiB"
        )


async def asked(app: Starlette, address: str) -> bytes:
    """The page at an address, as a server of HTTP would ask for it."""
    path, _, query = address.partition("?")
    scope: Scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "root_path": "",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(b"host", b"arena")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    said = bytearray()

    async def send(message: Message) -> None:
        assert message.get("status", 200) == 200, message
        said.extend(message.get("body", b""))

    async def receive() -> Message:
        return {"type": "http.request"}

    await app(scope, receive, send)
    return bytes(said)


def on_processor_s(schedstat: Path) -> float:
    """How long a process has been on a processor."""
    return int(schedstat.read_text().split()[0]) / 1e9


def main() -> None:
    """Prints the median of some runs for every size."""
    parser = argparse.ArgumentParser(description="What the page of a rating table costs.")
    parser.add_argument("--bots", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--whole", action="store_true", help="with the API and a database of 1,000 bots, a minute")
    given = parser.parse_args()
    for bots in given.bots:
        message = table_of(bots)
        took_ms = []
        for _ in range(RUNS):
            began = time.process_time()
            text = page_of(message)
            took_ms.append(1000 * (time.process_time() - began))
        median, least = statistics.median(took_ms), min(took_ms)
        print(f"{bots:>6} bots: {median:.0f} ms (least {least:.0f}), {len(text.encode()) >> 10} KiB")
    if given.whole:
        with tempfile.TemporaryDirectory(prefix="bench-") as directory:
            Path(directory).chmod(0o711)
            with Stack(Path(directory) / "data") as stack:
                migrate(stack.database_url)
                with connect(stack.database_url) as connection:
                    fill(connection, 1000, 1)
                    periods.apply_due(connection)
                    official.fit_due(connection)
                asyncio.run(whole(stack.database_url))


if __name__ == "__main__":
    main()

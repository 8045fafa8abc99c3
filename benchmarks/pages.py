"""What a page costs the pages' process: ``python -m benchmarks.pages``, seconds. Knows no server.

A rating table of so many bots, from the message of the API to the text of the page, in processor time; what the API
takes is in ``benchmarks.ledger``.
"""

import argparse
import statistics
import time

import engine
from arena.v1 import rating_pb2
from arena.web.api import Visitor
from arena.web.lines import HIDDEN, Chosen
from arena.web.page import templates
from arena.web.pages.ratings import pool_of

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


def main() -> None:
    """Prints the median of some runs for every size."""
    parser = argparse.ArgumentParser(description="What the page of a rating table costs.")
    parser.add_argument("--bots", type=int, nargs="+", default=[100, 1000])
    for bots in parser.parse_args().bots:
        message = table_of(bots)
        took_ms = []
        for _ in range(RUNS):
            began = time.process_time()
            text = page_of(message)
            took_ms.append(1000 * (time.process_time() - began))
        median, least = statistics.median(took_ms), min(took_ms)
        print(f"{bots:>6} bots: {median:.0f} ms (least {least:.0f}), {len(text.encode()) >> 10} KiB")


if __name__ == "__main__":
    main()

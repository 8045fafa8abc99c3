"""The command ``arena`` in a process that tells on a signal what it holds:
``python -m tests.soak.watched FILE serve …``. Nothing of the server is changed; what it holds is found through asyncio
and the garbage collector.

SIGUSR1 appends a line of JSON to the file. SIGUSR2 begins to trace allocations the first time, which makes the process
slower and larger, and afterwards appends what was allocated since then and is still there.
"""

import asyncio
import gc
import json
import os
import signal
import sys
import tracemalloc
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from arena.cli import main
from arena.referee.hub import Hub
from arena.referee.player import OpenTurn, Player, Running
from arena.referee.session import Session

COUNTED = (OpenTurn, Player, Running, Session)


def report() -> dict[str, Any]:
    """What the process holds now. Scans every object, which takes some tens of milliseconds."""
    objects = gc.get_objects()
    (hub,) = (found for found in objects if isinstance(found, Hub))
    kinds = Counter(type(found) for found in objects)
    return {
        "tasks": Counter(getattr(task.get_coro(), "__qualname__", "?") for task in asyncio.all_tasks()),
        "players": len(hub._players),
        "matches": len(hub._running),
        "alarms": len(hub._watch._alarms),
        "decisions": hub.decisions,
        "begun": hub.tally.begun,
        "finished": hub.finished,
        "abandoned": hub.tally.abandoned,
        "lag_us": hub.lag_us,
        "objects": sum(kinds.values()),
        "held": {kind.__name__: kinds[kind] for kind in COUNTED},
        "kinds": {f"{kind.__module__}.{kind.__qualname__}": count for kind, count in kinds.most_common(300)},
    }


def watch(file: Path) -> None:
    """Answers the signals from now on."""

    def append(line: object) -> None:
        with file.open("a") as out:
            out.write(json.dumps(line) + "\n")

    def tell(_number: int, _frame: FrameType | None) -> None:
        gc.collect()
        append(report())

    def trace(_number: int, _frame: FrameType | None) -> None:
        if not tracemalloc.is_tracing():
            tracemalloc.start(8)
            append({"traced": []})
            return
        gc.collect()
        grown = tracemalloc.take_snapshot().statistics("traceback")[:25]
        append({"traced": [[one.size, one.count, one.traceback.format()] for one in grown]})

    signal.signal(signal.SIGUSR1, tell)
    signal.signal(signal.SIGUSR2, trace)


if __name__ == "__main__":
    watch(Path(sys.argv[1]))
    code = main(sys.argv[2:])
    sys.stdout.flush()
    os._exit(code)

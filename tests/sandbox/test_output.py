"""What is kept of a bot's output: both ends, when each came, and how much is missing, however it is written."""

import time

from hypothesis import given
from hypothesis import strategies as st

from sandbox.box import Limits
from sandbox.output import PART_COST, Output, Part
from tests.sandbox.attacks.scene import Scene

KEPT = 400


@given(st.lists(st.binary(max_size=300), max_size=40))
def test_both_ends_are_kept_in_order_and_what_is_missing_is_counted(chunks: list[bytes]) -> None:
    output = Output(KEPT)
    for at_ms, chunk in enumerate(chunks):
        output.take(chunk, at_ms)
    written, parts = b"".join(chunks), output.parts()
    assert output.total == len(written)
    gaps = [place for place, part in enumerate(parts) if part.data.startswith(b"\n[... ")]
    if not gaps:
        assert b"".join(part.data for part in parts) == written
    else:
        (gap,) = gaps
        head = b"".join(part.data for part in parts[:gap])
        tail = b"".join(part.data for part in parts[gap + 1 :])
        missing = len(written) - len(head) - len(tail)
        assert parts[gap].data == f"\n[... {missing} bytes are left out here ...]\n".encode()
        assert written.startswith(head)
        assert written.endswith(tail)
        assert missing > 0
        assert len(tail) + PART_COST * (len(parts) - gap) >= KEPT // 2 - PART_COST
    kept = [part for place, part in enumerate(parts) if place not in gaps]
    assert sum(PART_COST + len(part.data) for part in kept) <= KEPT + PART_COST
    times = [moment for part in parts for moment in (part.since_ms, part.until_ms)]
    assert times == sorted(times)


def test_the_gap_lies_between_what_is_kept_around_it() -> None:
    output = Output(100)
    for at_ms in range(50):
        output.take(b"x" * 30, at_ms)
    first, gap, last = output.parts()
    assert (first, last) == (Part(0, 0, b"x" * 30), Part(49, 49, b"x" * 30))
    assert gap == Part(0, 49, b"\n[... 1440 bytes are left out here ...]\n")


def test_output_has_its_times_from_the_start_of_the_cell(scene: Scene) -> None:
    before_s = time.monotonic()
    ended, _ = scene.run("for _ in range(3): print(time.monotonic(), flush=True); time.sleep(0.1)")
    after_s = time.monotonic()
    assert before_s <= ended.started_s
    for part in ended.parts:
        came_s = ended.started_s + part.until_ms / 1000
        assert all(float(line) <= came_s + 0.001 for line in part.data.split())
        assert came_s <= after_s


def test_a_flood_of_small_writes_is_read_no_more_often_than_the_cell_is_looked_at(scene: Scene) -> None:
    # 1000 writes and more, so without the limit there were as many reads, and as many parts.
    ended, _ = scene.run(
        "until = time.monotonic() + 0.6\nwhile time.monotonic() < until: os.write(1, b'x\\n')", Limits()
    )
    assert ended.written > 2 * 1000
    assert len(ended.parts) < 40

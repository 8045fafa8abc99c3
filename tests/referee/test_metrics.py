"""The referee's numbers as Prometheus reads them agree with the hub's and with each other."""

import asyncio
from pathlib import Path

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from arena.api.metrics import registry
from arena.api.pulse import Pulse
from arena.referee.hub import Hub
from arena.referee.tally import Times
from tests.referee.tables import games
from tests.referee.wire import Wire, room

GAME = games()[0]


def numbers(hub: Hub) -> dict[tuple[str, str], float]:
    """By name, and the value of the label where there is one."""
    text = generate_latest(registry(hub, Pulse())).decode()
    return {
        (sample.name, "".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_every_answer_is_in_the_think_times_and_every_turn_in_flight_is_seen(short_dir: Path) -> None:
    async def at_the_table() -> None:
        async with room(short_dir, GAME) as table:
            seen: list[dict[tuple[str, str], float]] = []

            async def looks(wire: Wire) -> None:
                while (frame := await wire.read()) is not None:
                    if frame.turns:
                        seen.append(numbers(table.hub))
                    await wire.answer(frame.turns)

            verdicts = await table.play_all([table.plan(1), table.plan(2)], dict.fromkeys(range(4), looks), batch=1)
            after = numbers(table.hub)
            decisions = sum(verdict.decisions for verdict in verdicts)
            assert after["arena_decisions_total", ""] == after["arena_think_seconds_count", ""] == decisions
            assert (
                after["arena_think_seconds_bucket", "+Inf"] == after["arena_turn_delay_seconds_count", ""] == decisions
            )
            assert after["arena_matches_finished_total", ""] == after["arena_matches_begun_total", ""] == 2
            assert all(after["arena_faults_total", kind] == 0 for kind in ("ILLEGAL", "LATE", "GARBLED", "GONE"))
            for now in seen:
                # Someone is always asked, and a bot of one turn a frame has at most one that is unanswered.
                assert 1 <= now["arena_turns_unanswered", ""] <= 4
                assert 0 <= now["arena_turns_waiting", ""] <= 1
                assert (now["arena_bots_connected", ""], now["arena_matches_begun_total", ""]) == (4, 2)
            assert (after["arena_turns_unanswered", ""], after["arena_turns_waiting", ""]) == (0, 0)

    asyncio.run(at_the_table())


def test_a_bucket_holds_what_is_shorter_and_the_sum_is_in_seconds() -> None:
    hub, pulse = Hub(), Pulse()
    hub.tally.thinking = Times()
    for time_us in (0, 63, 64, 1_000, 2_000_000, 3_600_000_000):
        hub.tally.thinking.add(time_us)
    value = registry(hub, pulse).get_sample_value
    buckets = [value("arena_think_seconds_bucket", {"le": le}) for le in ("6.4e-05", "0.001024", "67.108864", "+Inf")]
    assert buckets == [2, 4, 5, 6]
    assert value("arena_think_seconds_sum") == 3602.001127

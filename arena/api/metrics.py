"""The referee's numbers and the loop's as Prometheus reads them. Knows no server and no database.

Everything is read when somebody asks, from a thread that is not the loop's: nothing here waits for the loop.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from arena.api.pulse import Pulse
from arena.referee.hub import Hub
from arena.referee.tally import Times

SHORTEST, LONGEST = 6, 26
"""Buckets that are told apart: up to 2^6 µs = 64 µs, and so on by doubling up to 2^26 µs = 67 s."""


def registry(hub: Hub, pulse: Pulse, open_alarms: Callable[[], int | None] = lambda: None) -> CollectorRegistry:
    """The metrics of one `arena serve`, those of its process included.

    :param open_alarms: how many alarms are open; None if that is not known just now.
    """
    made = CollectorRegistry()
    made.register(_Arena(hub, pulse, open_alarms))
    ProcessCollector(registry=made)
    return made


class _Arena(Collector):
    def __init__(self, hub: Hub, pulse: Pulse, open_alarms: Callable[[], int | None]) -> None:
        self._hub = hub
        self._pulse = pulse
        self._open_alarms = open_alarms

    def collect(self) -> Iterable[Metric]:
        hub, tally, pulse = self._hub, self._hub.tally, self._pulse
        depth = hub.depth()
        yield _histogram(
            "arena_turn_delay_seconds",
            "From the answer that a turn had waited for until the flush of its frame, without the bot's own part.",
            tally.delay,
        )
        yield _histogram("arena_think_seconds", "From the flush of a turn's frame until its answer.", tally.thinking)
        yield _counter("arena_decisions", "Answers taken and faults judged.", hub.decisions)
        yield _counters("arena_faults", "Faults of bots.", "kind", tally.faults)
        yield _counter("arena_matches_begun", "Matches begun.", tally.begun)
        yield _counter("arena_matches_finished", "Matches played to their end.", hub.finished)
        yield _counter("arena_matches_abandoned", "Matches given up through nobody's fault.", tally.abandoned)
        yield GaugeMetricFamily("arena_matches_open", "Matches being played.", depth.matches)
        yield GaugeMetricFamily("arena_bots_connected", "Bots with a stream.", depth.bots)
        yield GaugeMetricFamily("arena_turns_waiting", "Turns that no frame has carried yet.", depth.waiting)
        yield GaugeMetricFamily("arena_turns_unanswered", "Turns that were sent and not answered yet.", depth.sent)
        yield _counters("arena_logins_refused", "Logins refused, by status code.", "reason", tally.refused)
        yield _counter(
            "arena_deadlines_moved_seconds", "By how much deadlines were moved for a late loop.", hub.lag_us / 1e6
        )
        yield _histogram("arena_loop_lag_seconds", "How late the event loop was at a tick.", pulse.lag)
        yield GaugeMetricFamily(
            "arena_loop_lag_biggest_seconds", "The latest that the event loop ever was.", pulse.biggest_us / 1e6
        )
        yield GaugeMetricFamily(
            "arena_loop_overdue_seconds", "For how long the event loop has owed a tick.", pulse.overdue_s()
        )
        yield _counter("arena_loop_stalls", "Times that the event loop stood still for over a second.", pulse.stalls)
        if (alarms := self._open_alarms()) is not None:
            yield GaugeMetricFamily("arena_alarms_open", "Alarms that nobody has dealt with.", alarms)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(name, text, value)


def _counters(name: str, text: str, label: str, values: Mapping[Any, int]) -> Metric:
    family = CounterMetricFamily(name, text, labels=[label])
    for key, value in list(values.items()):
        family.add_metric([str(key)], value)
    return family


def _histogram(name: str, text: str, times: Times) -> Metric:
    counts = list(times.counts)
    buckets = [(str(2**bits / 1e6), sum(counts[: bits + 1])) for bits in range(SHORTEST, LONGEST + 1)]
    family = HistogramMetricFamily(name, text)
    family.add_metric([], [*buckets, ("+Inf", sum(counts))], times.total_us / 1e6)
    return family

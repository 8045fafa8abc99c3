"""What several commands read from their arguments: the data directory, the style of the log, numbers, times, addresses
and option settings. Knows no command."""

import argparse
import logging
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena import logs
from arena.errors import BadRequest
from arena.referee.presets import PRESETS
from arena.stack.paths import default_data_dir
from arena.tournaments.strangers import LEAST_TIER, USUAL, least_tier
from sandbox.box import Tier

_SPANS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--data DIR`, the directory of the services on this host."""
    parser.add_argument(
        "--data",
        type=Path,
        default=default_data_dir(),
        metavar="DIR",
        help="data directory of the services on this host",
    )


def add_clock_option(parser: argparse.ArgumentParser, usual: str) -> None:
    """Adds `--clock CLOCK`; ``usual`` says which one holds without it."""
    presets = ", ".join(PRESETS)
    parser.add_argument(
        "--clock",
        default="",
        metavar="CLOCK",
        help=f"{presets}, or times such as move=2s,bank=30s,increment=0.1s (default {usual})",
    )


def add_log_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--log STYLE`, which stands above the environment."""
    parser.add_argument("--log", choices=logs.STYLES, help=f"how to log; default ${logs.STYLE}, or text")


def configure_logs(arguments: argparse.Namespace, level: int = logging.INFO, **text: str) -> None:
    """Lets this process, and those that it starts, log as the arguments say.

    :raises BadRequest: if the environment asks for what there is not.
    """
    if arguments.log is not None:
        os.environ[logs.STYLE] = arguments.log
    logs.configure(level, **text)


def add_tier_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--least-tier TIER`, which stands above the environment."""
    tiers = ", ".join(tier.value for tier in Tier)
    parser.add_argument(
        "--least-tier",
        type=_tier,
        default=os.environ.get(LEAST_TIER) or USUAL,
        metavar="TIER",
        help=f"weakest cells in which bots of strangers are run: {tiers}; default ${LEAST_TIER}, or {USUAL.value}",
    )


def _tier(text: str) -> Tier:
    try:
        return least_tier(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def positive(text: str) -> int:
    """The whole number of an argument, 1 to 2**31 - 1; for argparse."""
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 1 << 31):
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 1")
    return int(text)


def duration(text: str) -> float:
    """The seconds of an argument, 0 to an hour; for argparse."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds from 0 to 3600")
    return seconds


def moment(text: str) -> datetime:
    """The time of an argument in UTC: as `2026-12-24T18:00`, or from now on, as `30m`, `2h` or `3d`; for argparse."""
    number, unit = text[:-1], text[-1:]
    if unit in _SPANS and number.isascii() and number.isdecimal() and len(number) < 5:
        return datetime.now(UTC) + int(number) * _SPANS[unit]
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no time; write it as 2026-12-24T18:00 in UTC, or as 30m, 2h or 3d from now"
        ) from None
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def span(text: str) -> int:
    """The seconds of an argument such as `30s`, `10m`, `2h` or `7d`; for argparse."""
    number, unit = text[:-1], text[-1:]
    if unit in ("s", *_SPANS) and number.isascii() and number.isdecimal() and len(number) < 7 and int(number):
        return int(number) * (1 if unit == "s" else int(_SPANS[unit].total_seconds()))
    raise argparse.ArgumentTypeError(f"'{text}' is no span; write it as 30s, 10m, 2h or 7d")


def address(text: str) -> str:
    """The HOST:PORT of an argument, port 0 to 65535; for argparse."""
    host, _, port = text.rpartition(":")
    if not (host and port.isascii() and port.isdecimal() and int(port) < 1 << 16):
        raise argparse.ArgumentTypeError(f"'{text}' is no address; write it as HOST:PORT")
    return text


def advertised(text: str) -> str:
    """The HOST:PORT of an argument, if others can dial it; for argparse."""
    host, _, port = address(text).rpartition(":")
    if host in ("0.0.0.0", "[::]", "::") or int(port) == 0:  # noqa: S104 - nothing listens here
        raise argparse.ArgumentTypeError(f"'{text}' leads nowhere; name the host and the port that others dial")
    return text


def read_settings(settings: Sequence[str]) -> dict[str, str]:
    """`["deals=10"]` as `{"deals": "10"}`.

    :raises BadRequest: if one has no `=` or is given twice.
    """
    options: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise BadRequest(f"'--set {setting}' has no value; write it as option=value")
        if name in options:
            raise BadRequest(f"option '{name}' is set twice")
        options[name] = value
    return options

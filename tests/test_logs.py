"""The log lines of the services: text for people, JSON for machines, and what is never in them."""

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from arena import logs
from arena.cli import main
from arena.stack.services import READY
from arena.store import people
from tests.referee.wire import Wire


@pytest.fixture
def restored() -> Iterator[None]:
    """The loggers are afterwards as they were."""
    root, ours = logging.getLogger(), logging.getLogger("arena")
    handlers, level, our_level = root.handlers[:], root.level, ours.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    ours.setLevel(our_level)
    logging.captureWarnings(False)


@pytest.mark.usefixtures("restored")
def test_a_line_of_json_has_what_it_is_about_and_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(logs.STYLE, "json")
    logs.configure()
    log = logging.getLogger("arena.here")
    log.info("%s has left", "anna's", extra={"bot": "anna's", "match": 7})
    try:
        raise ValueError("a\nb")
    except ValueError:
        log.exception("it failed")
    said, failed = map(json.loads, capsys.readouterr().err.splitlines())
    assert said.pop("time").endswith("+00:00")
    assert said == {
        "level": "info",
        "logger": "arena.here",
        "message": "anna's has left",
        "bot": "anna's",
        "match": 7,
    }
    assert (failed["level"], failed["exception"].splitlines()[-1]) == ("error", "b")


@pytest.mark.usefixtures("restored")
def test_text_is_for_people_and_debug_lines_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(logs.STYLE, raising=False)
    logs.configure()
    logging.getLogger("arena.here").debug("unheard")
    monkeypatch.setenv(logs.LEVEL, "debug")
    logs.configure()
    logging.getLogger("arena.here").debug("heard", extra={"match": 7})
    logging.getLogger("elsewhere").debug("unheard")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(" arena.here heard")


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize(("name", "sentence"), [(logs.STYLE, "text or json"), (logs.LEVEL, "debug, info, warning")])
def test_a_style_or_level_that_there_is_not_is_refused(
    name: str, sentence: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, "loud")
    assert main(["serve", "--data", str(tmp_path)]) == 2
    assert f"{name} is 'loud'; set it to {sentence}" in capsys.readouterr().err


def test_a_server_says_who_comes_and_goes_and_never_a_token(database_url: str, broker_url: str, tmp_path: Path) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        token = people.add_user(connection, "anna")
    wrong = "a-token-of-nobody"
    with subprocess.Popen(
        [sys.executable, "-m", "arena", "serve", "--listen", "127.0.0.1:0", "--log", "json", "--data", str(tmp_path)],
        env={**os.environ, "ARENA_DATABASE_URL": database_url, "ARENA_BROKER_URL": broker_url},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix(READY).strip()

        async def visits() -> None:
            async with Wire(address, token, name="guest"):
                pass
            stranger = Wire(address, wrong, name="stranger")
            with pytest.raises(AssertionError):
                await stranger.__aenter__()
            await stranger.close()

        asyncio.run(visits())
        process.terminate()
        _, said = process.communicate(timeout=30)
    lines = [json.loads(line) for line in said.splitlines()]
    told = [line for line in lines if line["logger"] == "arena.referee"]
    assert sorted((line["bot"], line["message"].partition(":")[0]) for line in told) == [
        ("guest", "guest has left"),
        ("guest", "guest is connected"),
        ("stranger", "a login of 'stranger' is refused"),
    ]
    assert {line.get("code") for line in told} == {None, "UNAUTHENTICATED"}
    assert token not in said
    assert wrong not in said

"""An organiser's commands when a tournament goes wrong, and what they leave behind, at the real server."""

import itertools
import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.cli import main
from arena.stack import Stack
from arena.stack.services import Services
from arena.store import Connection, connect, people
from tests.tournaments.ground import make_tournament, one

WHY = "The power went."

Run = Callable[..., tuple[int, str, str]]
_numbers = itertools.count(1)


@pytest.fixture
def database(whole_stack: Stack, services: Services) -> Iterator[Connection]:
    with connect(whole_stack.database_url) as connection:
        yield connection


@pytest.fixture
def run(arena: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command as the admin: its exit code, what it printed, and what it complained about."""

    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([*words, "--data", str(arena)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def cup(database: Connection) -> Iterator[str]:
    """A tournament of one block, on which three processes have died."""
    with database.transaction():  # before a worker sees it
        (block,) = make_tournament(database)
        database.execute("UPDATE blocks SET state = 'void', deaths = 3, ended_at = now() WHERE id = %s", [block])
        name = one(database, "SELECT tournament FROM blocks WHERE id = %s", block)
        database.execute(
            "INSERT INTO alarms (kind, sentence, tournament, block) VALUES ('block-void', 'It died.', %s, %s)",
            [name, block],
        )
    yield name
    database.execute("UPDATE alarms SET settled_at = now() WHERE settled_at IS NULL")


@pytest.fixture
def stranger(database: Connection, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """Makes whoever runs commands from now on somebody who is no admin and organises nothing yet."""

    def become() -> str:
        name = f"stranger-{next(_numbers)}"
        monkeypatch.setenv("ARENA_TOKEN", people.add_user(database, name))
        return name

    return become


def open_alarms(services: Services) -> float:
    with urllib.request.urlopen(f"http://{services.metrics_address}/metrics", timeout=20) as answer:
        (line,) = [line for line in answer.read().decode().splitlines() if line.startswith("arena_alarms_open ")]
    return float(line.split()[1])


@pytest.mark.long
def test_a_watch_of_what_waits_for_a_decision_ends_with_what_to_type(run: Run, cup: str) -> None:
    code, out, err = run("tournament", "watch", cup)
    assert (code, out) == (1, "")
    assert f"{cup} stays open until somebody decides: 'arena tournament retry {cup}' plays new units" in err
    code, out, _ = run("tournament", "show", cup)
    assert f"'arena tournament void {cup} --reason …' does without" in out
    assert "It died." in out
    assert "secret" not in out
    code, out, _ = run("tournament", "void", cup, "--reason", WHY)
    assert (code, "is given up" in out) == (0, True)
    code, out, _ = run("tournament", "watch", cup)
    assert (code, "is done" in out) == (0, True)
    code, out, _ = run("tournament", "show", cup)
    assert f"is given up: {WHY} (admin, " in out
    assert "secret" in out
    assert "decide" not in out
    assert "It died." not in out


def test_alarms_are_open_until_somebody_settles_them(run: Run, services: Services, cup: str) -> None:
    assert open_alarms(services) == 1
    code, out, _ = run("alarms", "--json")
    (alarm,) = json.loads(out)
    assert (alarm["tournament"], alarm["sentence"], alarm["settled_by"]) == (cup, "It died.", None)
    code, out, _ = run("alarms", "settle", str(alarm["id"]), "--reason", "The disk was full.")
    assert (code, "is settled by admin" in out) == (0, True)
    assert open_alarms(services) == 0
    assert run("alarms")[1] == "there are no open alarms\n"
    assert "settled by admin" in run("alarms", "--all")[1]
    _, out, _ = run("audit", "--json", "--last", "1")
    (act,) = json.loads(out)
    assert (act["who"], act["what"], act["subject"], act["reason"]) == (
        "admin",
        "alarm settled",
        str(alarm["id"]),
        "The disk was full.",
    )


def test_who_is_no_admin_sees_and_decides_about_their_own_alone(
    run: Run, cup: str, stranger: Callable[[], str]
) -> None:
    name = stranger()
    assert run("alarms")[1] == "there are no open alarms\n"
    assert run("audit", "--json")[1] == "[]\n"
    assert "It died." not in run("tournament", "show", cup)[1]
    for words in (
        ("tournament", "void", cup, "--reason", WHY),
        ("tournament", "retry", cup),
        ("tournament", "disqualify", cup, "ann", "--reason", WHY),
        ("tournament", "cancel", cup, "--reason", WHY),
    ):
        code, _, err = run(*words)
        assert (code, "only they and admins decide about it" in err) == (1, True)
    own = f"{name}-cup"
    assert run("tournament", "create", own, "--game", "callbreak", "--open")[0] == 0
    assert run("tournament", "disqualify", own, "bold", "--reason", WHY)[0] == 0
    code, _, err = run("tournament", "enter", own, "bold")
    assert (code, f"is disqualified from '{own}': {WHY}" in err) == (1, True)
    assert run("tournament", "cancel", own, "--reason", WHY)[0] == 0
    code, _, err = run("tournament", "watch", own)
    assert (code, err) == (1, f"{own} is cancelled: 'arena tournament show {own}' says why\n")
    assert f"{own}: callbreak, 4 seats, cancelled" in run("tournament", "show", own)[1]
    _, out, _ = run("audit", "--json")
    assert [(act["who"], act["what"]) for act in json.loads(out)] == [(name, "cancel"), (name, "disqualify")]


def test_a_cancelled_tournament_is_left_by_those_who_play_it(run: Run, database: Connection) -> None:
    name = f"long-{next(_numbers)}"
    bots = ["bold", "cautious", "patient", "sly", "steady"]
    code, *_ = run("tournament", "create", name, "--game", "callbreak", "--units", "100", "--bots", *bots)
    assert code == 0
    code, out, _ = run("tournament", "cancel", name, "--reason", WHY)
    assert (code, out) == (0, f"{name} is cancelled: 1 of its orbits were not complete and do not count\n")
    assert one(database, "SELECT count(*) FROM results WHERE tournament = %s", name) == 0
    assert one(database, "SELECT every(state = 'void') FROM blocks WHERE tournament = %s", name)
    assert "cancelled, and 1 orbits do not count" in run("tournament", "show", name)[1]


@pytest.mark.parametrize(
    "words",
    [
        ("tournament", "void", "cup", "1"),
        ("tournament", "void", "cup", "one", "--reason", WHY),
        ("tournament", "void", "cup", "--unit", "-1", "--reason", WHY),
        ("tournament", "disqualify", "cup", "--reason", WHY),
        ("tournament", "cancel", "cup"),
        ("alarms", "settle"),
        ("alarms", "settle", "first"),
        ("audit", "--last", "0"),
    ],
)
def test_wrong_use_is_exit_code_2_and_one_line(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1

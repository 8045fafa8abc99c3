"""What a worker does with blocks and versions, with a real process that stands in for the one that plays."""

import contextlib
import dataclasses
import os
import selectors
import signal
import socket
import threading
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from kombu.exceptions import OperationalError

import engine
from arena.errors import WrongState
from arena.stack import Stack
from arena.store import Connection, connect, migrate, referees
from arena.store.referees import Place
from arena.tournaments import admission, attempt, broker, ledger, sweeper, worker
from arena.tournaments.attempt import Cut, Outcome, Played
from arena.tournaments.block import Block, Cause, UnitKind
from arena.tournaments.brief import write_brief
from arena.tournaments.ledger import Ending
from arena.tournaments.tasks import worker_command
from arena.tournaments.worker import Settings
from sandbox.box import Tier
from tests.conftest import broker_client
from tests.tournaments.ground import (
    BOTS,
    STAND_IN,
    claimed,
    expire,
    log_of,
    make_tournament,
    make_version,
    one,
    reports_of,
)


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return Settings(database_url, tmp_path / "bots", (*STAND_IN, "play"), "tester", 20.0)


def behaving(settings: Settings, behaviour: str) -> Settings:
    return dataclasses.replace(settings, command=(*STAND_IN, behaviour))


@pytest.fixture
def block(connection: Connection) -> Block:
    (number,) = make_tournament(connection)
    return write_brief(connection, claimed(connection, number))


def run(block: Block, behaviour: str, silence_s: float = 20.0) -> Outcome:
    return attempt.play((*STAND_IN, behaviour, "bots"), block, silence_s=silence_s, tell=print, stopped=lambda: "")


# One attempt


def test_a_process_that_plays_hands_in_every_match(block: Block) -> None:
    outcome = run(block, "play")
    assert isinstance(outcome, Played)
    assert [(report.unit, report.rotation) for report in outcome.reports] == [(0, rotation) for rotation in range(4)]
    assert [log.text for log in outcome.logs] == ["I was here."]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("die", "was killed by SIGKILL before it was done"),
        ("crash", "ended with code 1 before it was done. Its last words: I do not feel well."),
        ("babble", "broke the protocol: The line is not JSON"),
    ],
)
def test_a_process_that_fails_is_told_apart_with_a_sentence(block: Block, behaviour: str, reason: str) -> None:
    outcome = run(block, behaviour)
    assert isinstance(outcome, Cut)
    assert outcome.cause is Cause.DIED
    assert reason in outcome.reason


@pytest.mark.parametrize("behaviour", ["stand-still", "flood"])
def test_messages_without_progress_do_not_keep_a_process_alive(block: Block, behaviour: str) -> None:
    outcome = run(block, behaviour, silence_s=1.0)
    assert isinstance(outcome, Cut)
    assert outcome.cause is Cause.DIED
    assert "made no progress for 1 s" in outcome.reason


def test_a_process_sees_no_address_and_no_token(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    doors = ("ARENA_DATABASE_URL", "ARENA_BROKER_URL", "ARENA_TOKEN", "ARENA_REFEREE_SECRET", "PGPASSWORD", "CLOUD_KEY")
    for name in (*doors, "ARENA_CGROUP"):
        monkeypatch.setenv(name, "something")
    outcome = run(block, "environment")
    assert isinstance(outcome, Cut)
    names = outcome.reason.split()
    assert {"ARENA_CGROUP", "PATH"} <= set(names)
    assert not set(doors) & set(names)


def test_a_process_whose_lease_is_lost_is_stopped(block: Block) -> None:
    told = []
    outcome = attempt.play(
        (*STAND_IN, "slow", "bots"),
        block,
        silence_s=20.0,
        tell=lambda matches, decisions: told.append(matches),
        stopped=lambda: "Enough." if told else "",
    )
    assert isinstance(outcome, Cut)
    assert (outcome.reason, outcome.cause) == ("Enough.", Cause.LOST)
    assert told[-1] <= len(outcome.reports) < 4


def test_every_attempt_at_a_block_has_the_same_cards_and_its_own_tickets(connection: Connection) -> None:
    (number,) = make_tournament(connection, units=2)
    first = write_brief(connection, claimed(connection, number))
    expire(connection, number)
    second = write_brief(connection, claimed(connection, number))
    assert first.units == second.units
    assert [plan.unit for plan in first.units] == [0, 1]
    assert first.attempt != second.attempt
    tickets = {player.ticket for brief in (first, second) for player in brief.players}
    assert len(tickets) == 8


# A worker and its blocks


def test_a_tournament_plays_the_versions_that_were_frozen_at_its_start(
    connection: Connection, settings: Settings
) -> None:
    (number,) = make_tournament(connection)
    before = write_brief(connection, claimed(connection, number))
    connection.execute("UPDATE versions SET state = 'replaced' WHERE bot = 'ann'")
    connection.execute("UPDATE bots SET retired_at = now() WHERE name = 'ann'")
    connection.execute("INSERT INTO archives VALUES (repeat('a', 64), '')")
    connection.execute(
        "INSERT INTO versions (bot, number, content_hash, manifest, state) "
        """VALUES ('ann', 2, repeat('a', 64), '{"games": ["callbreak"], "batch": 7}', 'active')"""
    )
    expire(connection, number)
    after = write_brief(connection, claimed(connection, number))
    assert after.units == before.units
    assert [dataclasses.replace(player, ticket="") for player in after.players] == [
        dataclasses.replace(player, ticket="") for player in before.players
    ]
    expire(connection, number)
    assert worker.play_block(settings, number) is Ending.RECORDED


def test_the_files_of_bots_are_closed_to_other_users(connection: Connection, settings: Settings) -> None:
    (block,) = make_tournament(connection)
    settings.bots_dir.mkdir(mode=0o755)
    worker.play_block(settings, block)
    assert settings.bots_dir.stat().st_mode & 0o777 == 0o700
    assert {folder.stat().st_mode & 0o777 for folder in settings.bots_dir.iterdir()} == {0o755}


def test_a_worker_plays_a_block_and_writes_everything(connection: Connection, settings: Settings) -> None:
    (block,) = make_tournament(connection, units=2)
    assert worker.play_block(settings, block) is Ending.RECORDED
    assert one(connection, "SELECT count(*) FROM results") == 8
    assert one(connection, "SELECT closed_at IS NOT NULL FROM tournaments")
    assert one(connection, "SELECT worker FROM attempts WHERE outcome = 'done'") == "tester"
    for folder in settings.bots_dir.iterdir():
        assert (folder / "main.py").is_file()
    assert len(list(settings.bots_dir.iterdir())) == len(BOTS)
    assert worker.play_block(settings, block) is None


@pytest.mark.parametrize("behaviour", ["die", "crash", "babble"])
def test_three_dead_processes_give_a_block_up(connection: Connection, settings: Settings, behaviour: str) -> None:
    (block,) = make_tournament(connection)
    for _ in range(3):
        assert worker.play_block(behaving(settings, behaviour), block) is None
    assert one(connection, "SELECT state FROM blocks") == "void"
    assert "3 times, last with: The block process" in one(connection, "SELECT sentence FROM alarms")


def test_a_bot_that_is_not_there_costs_no_attempt(connection: Connection, settings: Settings) -> None:
    (block,) = make_tournament(connection)
    for _ in range(4):
        worker.play_block(behaving(settings, "no-bot"), block)
    assert connection.execute("SELECT state, deaths FROM blocks").fetchall() == [("queued", 0)]


def test_a_block_with_remote_bots_is_told_where_their_referee_is(connection: Connection, settings: Settings) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.SINGLE)
    worker.play_block(behaving(settings, "environment"), block)
    connection.execute("UPDATE bots SET kind = 'remote' WHERE name = 'bob'")
    referees.beat(connection, Place("127.0.0.1:1"), bytes(32))
    worker.play_block(behaving(settings, "environment"), ledger.pending(connection, 1)[0])
    reasons = connection.execute("SELECT reason FROM attempts ORDER BY leased_at").fetchall()
    told = [{name for name in reason.split() if name.startswith("ARENA_REFEREE")} for (reason,) in reasons]
    assert told == [set(), {"ARENA_REFEREE", "ARENA_REFEREE_SECRET"}]


@pytest.mark.parametrize(("behaviour", "state"), [("no-bot", "queued"), ("no-bot-late", "void")])
def test_cards_are_dealt_again_to_remote_bots_only_if_none_was_dealt(
    connection: Connection, settings: Settings, behaviour: str, state: str
) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.SINGLE)
    worker.play_block(behaving(settings, behaviour), block)
    assert one(connection, "SELECT state FROM blocks WHERE id = %s", block) == state
    assert len(ledger.pending(connection, 10)) == 1
    assert one(connection, "SELECT sum(deaths) FROM blocks") == 0


def test_a_field_counts_without_the_tables_that_a_dead_process_left_open(
    connection: Connection, settings: Settings
) -> None:
    (block,) = make_tournament(connection, kind=UnitKind.FIELD)
    assert worker.play_block(behaving(settings, "die"), block) is None
    assert one(connection, "SELECT state FROM blocks WHERE id = %s", block) == "void"
    (block,) = ledger.pending(connection, 10)
    assert worker.play_block(behaving(settings, "die-late"), block) is Ending.RECORDED
    assert connection.execute("SELECT unit, rotation FROM results ORDER BY rotation").fetchall() == [
        (1, 0),
        (1, 1),
        (1, 2),
    ]
    said = connection.execute("SELECT outcome, reason LIKE %s FROM attempts ORDER BY leased_at", ("%SIGKILL%",))
    assert said.fetchall() == [("died", True), ("done", True)]
    assert ledger.pending(connection, 10) == []


def test_a_worker_that_was_superseded_stops_and_leaves_the_block_alone(
    connection: Connection, settings: Settings
) -> None:
    (block,) = make_tournament(connection, units=20)
    thread = threading.Thread(target=worker.play_block, args=(behaving(settings, "slow"), block))
    thread.start()
    while one(connection, "SELECT count(*) FROM attempts WHERE matches > 0") == 0:
        time.sleep(0.02)
    expire(connection, block)
    lease = claimed(connection, block)
    thread.join(6)
    assert not thread.is_alive()
    assert ledger.holds(connection, lease)
    assert one(connection, "SELECT count(*) FROM results") == 0


def test_a_worker_that_is_told_to_stop_gives_its_block_back(
    connection: Connection, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = make_tournament(connection, units=20)

    def stop(matches: int, decisions: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(worker._Heart, "tell", lambda heart, matches, decisions: stop(matches, decisions))
    with pytest.raises(KeyboardInterrupt):
        worker.play_block(behaving(settings, "slow"), block)
    assert connection.execute("SELECT state, deaths FROM blocks").fetchall() == [("queued", 0)]
    assert one(connection, "SELECT outcome FROM attempts") == "abandoned"


def test_a_worker_whose_time_is_over_hands_its_block_back_at_once(
    connection: Connection, settings: Settings, tmp_path: Path
) -> None:
    (block,) = make_tournament(connection, units=20)
    hand_back = tmp_path / "hand-back"
    slow = dataclasses.replace(behaving(settings, "slow"), hand_back=hand_back)
    thread = threading.Thread(target=worker.play_block, args=(slow, block))
    thread.start()
    while one(connection, "SELECT count(*) FROM attempts WHERE matches > 0") == 0:
        time.sleep(0.02)
    hand_back.touch()
    thread.join(10)
    assert not thread.is_alive()
    assert connection.execute("SELECT state, deaths FROM blocks").fetchall() == [("queued", 0)]
    assert connection.execute("SELECT outcome, reason FROM attempts").fetchall() == [
        ("abandoned", "The worker was told to stop.")
    ]
    assert one(connection, "SELECT count(*) FROM results") == 0


def test_a_database_killed_before_and_while_a_block_is_played_costs_nothing(short_dir: Path) -> None:
    with Stack(short_dir / "data") as stack:
        migrate(stack.database_url)
        settings = Settings(stack.database_url, short_dir / "bots", (*STAND_IN, "slow"), "tester", 20.0)
        with connect(stack.database_url) as connection:
            (block,) = make_tournament(connection, units=3)
        endings: list[Ending | None] = []
        thread = threading.Thread(target=lambda: endings.append(worker.play_block(settings, block)))
        os.kill(stack.pid("postgres"), signal.SIGKILL)
        thread.start()
        time.sleep(1.0)
        os.kill(stack.pid("postgres"), signal.SIGKILL)
        thread.join(60)
        assert endings == [Ending.RECORDED]
        with connect(stack.database_url) as connection:
            assert one(connection, "SELECT count(*) FROM results") == 12
            assert one(connection, "SELECT count(*) FROM attempts") == 1


# Strangers


@pytest.fixture
def weak(settings: Settings) -> Settings:
    return dataclasses.replace(settings, strangers=False)


def test_a_worker_with_weak_cells_leaves_strangers_to_others_and_no_attempt_is_lost(
    connection: Connection, settings: Settings, weak: Settings
) -> None:
    (block,) = make_tournament(connection, house=False)
    version = make_version(connection, "new", state="validating", house=False)
    with pytest.raises(WrongState, match="has bots of strangers and this worker's cells are too weak"):
        worker.play_block(weak, block)
    worker.validate_version(weak, version)
    assert one(connection, "SELECT count(*) FROM attempts") == 0
    assert one(connection, "SELECT count(*) FROM versions WHERE lease IS NOT NULL") == 0
    assert worker.play_block(settings, block) is Ending.RECORDED


@pytest.mark.parametrize(
    "trusted",
    [
        "UPDATE users SET admin = true",
        "UPDATE bots SET kind = 'remote' WHERE name = 'dan'",
        "UPDATE bots SET house = true",
    ],
)
def test_bots_of_the_house_of_admins_and_of_other_hosts_are_no_strangers(
    connection: Connection, weak: Settings, trusted: str
) -> None:
    (before,) = make_tournament(connection, house=False)
    connection.execute(trusted.encode())
    (block,) = make_tournament(connection)
    assert ledger.pending(connection, 10, strangers=True) == [before]
    assert ledger.pending(connection, 10, strangers=False) == [block]
    assert ledger.claim(connection, block, "weak", engine.VERSION, strangers=False) is not None


def test_the_process_that_plays_strangers_is_told_the_least_tier_and_no_other(
    connection: Connection, settings: Settings
) -> None:
    behaviour = behaving(dataclasses.replace(settings, least_tier=Tier.ROOT), "environment")
    for house in (True, False):
        make_version(connection, "dan")
        connection.execute("UPDATE bots SET house = %s", (house,))
        (block,) = make_tournament(connection)
        worker.play_block(behaviour, block)
    reasons = connection.execute("SELECT reason FROM attempts ORDER BY leased_at").fetchall()
    assert ["ARENA_LEAST_TIER" in reason for (reason,) in reasons] == [False, True]


def test_the_tier_in_which_a_block_was_played_is_kept(connection: Connection, settings: Settings) -> None:
    (block,) = make_tournament(connection)
    worker.play_block(settings, block)
    assert one(connection, "SELECT tier FROM attempts WHERE block = %s", block) == "userns"


def test_what_strangers_made_waits_in_queues_that_weak_workers_do_not_serve(
    connection: Connection, broker_url: str
) -> None:
    make_tournament(connection, 2)
    make_version(connection, "eve", state="validating", house=False)
    connection.execute("UPDATE blocks SET strangers = true WHERE table_index = 0")
    app = broker.application(broker_url)
    assert sweeper.sweep(connection, app, 0.0) == 3
    app.close()
    with broker_client(broker_url) as client:
        lengths = {queue: int(client.llen(queue)) for queue in broker.queues(strangers=True)}
    assert lengths == {"blocks": 1, "blocks-of-strangers": 1, "versions": 0, "versions-of-strangers": 1}
    assert broker.queues(strangers=False) == ["blocks", "versions"]
    for strangers in (True, False):
        assert f"--queues={','.join(broker.queues(strangers=strangers))}" in worker_command(
            "name", 1, strangers=strangers
        )


# Versions


@pytest.mark.parametrize("house", [0, 3])
def test_a_version_that_plays_to_the_end_is_admitted(connection: Connection, settings: Settings, house: int) -> None:
    for bot in BOTS[:house]:
        make_version(connection, bot)
    version = make_version(connection, "new", state="validating", house=False)
    assert admission.pending(connection, 10) == [version]
    worker.validate_version(settings, version)
    row = connection.execute("SELECT state, log, lease FROM versions WHERE id = %s", (version,)).fetchone()
    assert row == ("active", "[callbreak] It ended by itself with code 0.\nI was here.", None)
    assert admission.pending(connection, 10) == []


def test_a_version_that_forfeits_is_rejected_with_its_reason_and_its_log(
    connection: Connection, settings: Settings
) -> None:
    version = make_version(connection, "new", state="validating", house=False)
    worker.validate_version(behaving(settings, "forfeit"), version)
    row = connection.execute("SELECT state, reason, log FROM versions WHERE id = %s", (version,)).fetchone()
    assert row is not None
    assert row[0] == "rejected"
    assert row[1] == "It forfeited a match of callbreak: turn 3: GONE, It never came."
    assert "I was here." in row[2]


def test_a_version_of_no_known_game_is_rejected(connection: Connection, settings: Settings) -> None:
    version = make_version(connection, "new", state="validating", house=False)
    connection.execute("ALTER TABLE versions DISABLE TRIGGER USER")  # it was made when there was such a game
    connection.execute('UPDATE versions SET manifest = \'{"games": ["chess"]}\'')
    worker.validate_version(settings, version)
    row = connection.execute("SELECT state, reason FROM versions WHERE id = %s", (version,)).fetchone()
    assert row is not None
    assert row[0] == "rejected"
    assert "chess" in row[1]


def test_a_broken_platform_never_rejects_a_version(connection: Connection, settings: Settings) -> None:
    version = make_version(connection, "new", state="validating", house=False)
    for _ in range(3):
        assert admission.pending(connection, 10) == [version]
        worker.validate_version(behaving(settings, "die"), version)
    assert one(connection, "SELECT state FROM versions") == "validating"
    assert admission.pending(connection, 10) == []
    assert one(connection, "SELECT kind FROM alarms") == "validation-stuck"
    connection.execute("UPDATE versions SET created_at = now() - interval '1 hour'")
    assert admission.pending(connection, 10) == [version]
    worker.validate_version(behaving(settings, "die"), version)
    worker.validate_version(settings, version)
    assert one(connection, "SELECT state FROM versions") == "active"
    assert one(connection, "SELECT count(*) FROM alarms") == 1


def test_one_worker_at_a_time_validates_a_version(connection: Connection) -> None:
    version = make_version(connection, "new", state="validating", house=False)
    first = admission.claim(connection, version)
    assert first is not None
    assert admission.claim(connection, version) is None
    connection.execute("UPDATE versions SET lease_expires_at = now() - interval '1 s'")
    second = admission.claim(connection, version)
    assert second is not None
    assert not admission.progress(connection, first)
    assert not admission.settle(connection, first, admission.Verdict(False, "Too late.", ""))
    admission.abandon(connection, first, "Too late.", Cause.DIED)
    assert admission.settle(connection, second, admission.Verdict(True, "", ""))
    assert one(connection, "SELECT state FROM versions") == "active"


def test_the_newest_admitted_version_plays_whichever_was_validated_first(connection: Connection) -> None:
    make_version(connection, "new", state="active", house=False)
    for number in (2, 3):
        connection.execute(
            "INSERT INTO archives VALUES (%s, '')",
            (f"{number}" * 64,),
        )
        connection.execute(
            "INSERT INTO versions (bot, number, content_hash, manifest) VALUES ('new', %s, %s, '{\"games\": []}')",
            (number, f"{number}" * 64),
        )
    for number in (3, 2):
        claim = admission.claim(connection, one(connection, "SELECT id FROM versions WHERE number = %s", number))
        assert claim is not None
        admission.settle(connection, claim, admission.Verdict(True, "", ""))
    rows = connection.execute("SELECT number, state FROM versions ORDER BY number").fetchall()
    assert rows == [(1, "replaced"), (2, "replaced"), (3, "active")]


# The sweeper


def test_a_broker_that_was_wiped_gets_everything_again_and_a_full_one_nothing(
    connection: Connection, broker_url: str
) -> None:
    blocks = make_tournament(connection, 5)
    version = make_version(connection, "new", state="validating", house=False)
    app = broker.application(broker_url)

    def queued() -> tuple[int, int]:
        with broker_client(broker_url) as client:
            return int(client.llen(broker.BLOCKS)), int(client.llen(broker.queue_of(broker.VERSIONS, strangers=True)))

    assert sweeper.sweep(connection, app, 0.0) == 6
    assert queued() == (5, 1)
    assert sweeper.sweep(connection, app, 0.0) == 0
    with broker_client(broker_url) as client:
        client.flushall()
    assert sweeper.sweep(connection, app, 60.0) == 0
    assert sweeper.sweep(connection, app, 0.0) == 6
    with broker_client(broker_url) as client:
        client.flushall()
    claimed(connection, blocks[0])
    assert admission.claim(connection, version) is not None
    assert sweeper.sweep(connection, app, 0.0) == 4
    expire(connection, blocks[0])
    assert sweeper.sweep(connection, app, 0.0) == 1
    assert queued() == (5, 0)
    app.close()


def cutting(broker_url: str, near: socket.socket) -> None:
    """Passes a connection on to the broker until something is asked; then it is cut, in the middle of the question."""
    with near, socket.socket(socket.AF_UNIX) as far, selectors.DefaultSelector() as ways:
        far.connect(unquote(urlsplit(broker_url).path))
        ways.register(near, selectors.EVENT_READ, far)
        ways.register(far, selectors.EVENT_READ, near)
        while True:
            for key, _ in ways.select():
                assert isinstance(key.fileobj, socket.socket)
                data = key.fileobj.recv(1 << 16)
                if not data or b"EXISTS" in data:
                    return
                key.data.sendall(data)


def accepting(broker_url: str, listening: socket.socket) -> None:
    """Cuts every connection as above, until the socket is shut."""
    with contextlib.suppress(OSError):
        while True:
            near, _ = listening.accept()
            threading.Thread(target=cutting, args=(broker_url, near), daemon=True).start()


def test_a_broker_that_goes_away_while_it_is_asked_is_asked_again(connection: Connection, broker_url: str) -> None:
    make_tournament(connection, 2)
    password = urlsplit(broker_url).password
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=accepting, args=(broker_url, listening))
        thread.start()
        app = broker.application(f"redis://:{password}@127.0.0.1:{listening.getsockname()[1]}/0")
        with pytest.raises(OperationalError):
            sweeper.sweep(connection, app, 0.0)
        app.close()
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
    app = broker.application(broker_url)
    assert sweeper.sweep(connection, app, 0.0) == 2
    app.close()


def test_the_sweeper_deletes_runs_that_are_no_longer_kept(
    connection: Connection, database_url: str, broker_url: str
) -> None:
    for block, days in zip(make_tournament(connection, 2), (31, 29), strict=True):
        lease = claimed(connection, block)
        unit = int(one(connection, "SELECT first_unit FROM blocks WHERE id = %s", block))
        ledger.finish(connection, lease, reports_of([unit]), [log_of()])
        connection.execute(
            "UPDATE blocks SET ended_at = now() - make_interval(days => %s) WHERE id = %s", (days, block)
        )
    ending = threading.Event()
    thread = threading.Thread(target=sweeper.run, args=(database_url, broker_url, ending, 0.05))
    thread.start()
    while one(connection, "SELECT count(*) FROM bot_logs") == 2:
        time.sleep(0.01)
    ending.set()
    thread.join(60)
    assert one(connection, "SELECT min(block) = max(block) AND min(block) = %s FROM bot_logs", block)


def test_one_sweeper_at_a_time_works_and_another_takes_its_place(
    connection: Connection, database_url: str, broker_url: str
) -> None:
    make_tournament(connection)
    connection.execute("SELECT pg_advisory_lock(hashtext('card-arena sweeper'))")
    ending = threading.Event()
    thread = threading.Thread(target=sweeper.run, args=(database_url, broker_url, ending, 0.05))
    thread.start()
    asking = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    seen: set[int] = set()
    with broker_client(broker_url) as client:
        while len(seen) < 3:
            assert client.llen(broker.BLOCKS) == 0
            seen.update(row[0] for row in connection.execute(asking.encode()))
            time.sleep(0.01)
        connection.execute("SELECT pg_advisory_unlock_all()")
        while client.llen(broker.BLOCKS) == 0:
            time.sleep(0.01)
    ending.set()
    thread.join(60)
    assert not thread.is_alive()


def test_a_sweeper_whose_connection_was_cut_goes_on_with_another(
    connection: Connection, database_url: str, broker_url: str
) -> None:
    ending = threading.Event()
    thread = threading.Thread(target=sweeper.run, args=(database_url, broker_url, ending, 0.05))
    thread.start()
    leader = "SELECT coalesce(max(pid), 0) FROM pg_locks WHERE locktype = 'advisory' AND granted"
    while not (first := one(connection, leader)):
        time.sleep(0.01)
    connection.execute("SELECT pg_terminate_backend(%s)", (first,))
    make_tournament(connection)
    with broker_client(broker_url) as client:
        while client.llen(broker.BLOCKS) == 0:
            time.sleep(0.01)
    assert one(connection, leader) != first
    ending.set()
    thread.join(60)
    assert not thread.is_alive()

"""A private tournament exists for nobody but its owner, admins and the owners of its bots, whatever they ask."""

import asyncio
import importlib
import os
import pkgutil
import signal
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

import arena.v1
from arena.api.serve import serve
from arena.scopes import READ
from arena.stack import Stack
from arena.store import Connection, audit, people
from arena.store.tournaments import NewTournament, create_tournament
from arena.tournaments import ledger
from arena.v1 import tournament_pb2 as pb
from tests.tournaments.ground import claimed, log_of, make_tournament, one, reports_of

WHO = {"stranger", "visitor", "owner", "admin", "insider"}
"""Somebody, the pages without a login, who made the tournament, an admin, and the owner of a bot in it."""
THEIRS = {"owner", "admin", "insider"}
DECIDE = {"owner", "admin"}

UNKNOWN = "nobody-has-this"

Fields = dict[str, Any]


def named(**more: Any) -> Callable[[str], Fields]:
    return lambda name: {"tournament": name, **more}


ASKED: dict[str, list[tuple[Callable[[str], Fields] | Fields, set[str]]]] = {
    # Names are one for all, so that whoever tries this one learns that it is taken: below.
    "CreateTournament": [],
    "GetTournament": [(named(), THEIRS)],
    "ListTournaments": [({}, THEIRS), ({"owner": "owner"}, THEIRS), (lambda name: {"page_token": name}, THEIRS)],
    "PlanTournament": [(named(), THEIRS)],
    "GetStandings": [(named(), THEIRS)],
    "ListBlocks": [(named(), THEIRS)],
    "GetBalance": [(named(), THEIRS)],
    "EnterTournament": [(named(bots=["ann"]), THEIRS)],
    "LeaveTournament": [(named(bots=["ann"]), THEIRS)],
    "CloseTournament": [(named(), THEIRS)],
    "StartTournament": [(named(), THEIRS)],
    "VoidBlocks": [(named(reason="So."), THEIRS)],
    "RetryBlocks": [(named(), THEIRS)],
    "DisqualifyBot": [(named(bot="ann-x", reason="So."), THEIRS)],
    "CancelTournament": [(named(reason="So."), THEIRS)],
    "ListMatches": [(named(), THEIRS)],
    "ListOpenMatches": [(named(), THEIRS)],
    "GetRecord": [(named(), THEIRS)],
    "PruneRecords": [({"days": 1, "dry_run": True}, {"admin"})],
    "ExportMatches": [(named(), THEIRS), ({}, THEIRS), ({"game": "callbreak"}, THEIRS)],
    "ExportRecords": [(named(), THEIRS), ({}, THEIRS)],
    "ListAlarms": [({"settled": True}, DECIDE)],
    "SettleAlarm": [({"alarm": 1}, DECIDE)],
    "ListActs": [({}, DECIDE)],
    "ListRuns": [({"bot": "dan"}, {"admin", "insider"})],
    "GetRunLog": [(named(bot="dan"), {"admin", "insider"})],
    # What a version says of its runs is of those before any tournament.
    "CreateVersion": [],
    "ListBots": [({}, set())],
    "GetBot": [({"bot": "dan"}, set())],
    "GetVersion": [({"bot": "dan", "number": 1}, set())],
    "EnableBot": [({"bot": "dan"}, set())],
    "NotifyBot": [({"bot": "dan"}, set())],
    "RetireBot": [({"bot": "dan"}, set())],
    "ListRatingHistory": [({"pool": 1, "bot": "dan"}, set())],
}
"""What is asked of every call that says or hears of tournaments, and whoever may notice that there is this one."""


def all_methods() -> list[MethodDescriptor]:
    modules = [importlib.import_module(f"arena.v1.{found.name}") for found in pkgutil.iter_modules(arena.v1.__path__)]
    files = [module.DESCRIPTOR for module in modules if module.__name__.endswith("_pb2")]
    return [method for file in files for service in file.services_by_name.values() for method in service.methods]


def names_tournaments(message: Descriptor, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a tournament's name stands anywhere in such a message."""
    return any(
        field.name in ("tournament", "tournaments")
        if field.type == FieldDescriptor.TYPE_STRING
        else field.message_type is not None
        and field.message_type.full_name not in seen
        and names_tournaments(field.message_type, seen | {message.full_name})
        for field in message.fields
    )


CONCERNED = {
    method.name: method
    for method in all_methods()
    if names_tournaments(method.input_type) or names_tournaments(method.output_type)
}


def test_every_call_with_a_tournament_in_it_is_asked_about_a_private_one() -> None:
    assert set(ASKED) == set(CONCERNED)


@pytest.fixture
def cup(connection: Connection) -> str:
    """A private tournament that was played, with everything that there can be of it; dan is the insider's. Before it
    there was one that everybody sees."""
    block = make_tournament(connection)[0]
    connection.execute("INSERT INTO users (name) VALUES ('insider')")
    connection.execute("UPDATE bots SET owner = 'insider' WHERE name = 'dan'")
    ledger.finish(connection, claimed(connection, block), reports_of([0]), [log_of(player=3)])
    name = str(one(connection, "SELECT name FROM tournaments"))
    connection.execute(
        "UPDATE tournaments SET private = true, unrated = true, closed_at = closed_at - interval '9 days'"
    )
    wanted = NewTournament("callbreak", 4, {}, 1, 1, 250, 0, 3, 1000)
    create_tournament(connection, people.User("owner", False), "older", wanted, "")
    connection.execute("UPDATE tournaments SET created_at = created_at - interval '9 days' WHERE name = 'older'")
    connection.execute("INSERT INTO alarms (kind, sentence, tournament) VALUES ('void', 'Look.', %s)", [name])
    audit.note(connection, "owner", "start", name, tournament=name)
    return name


@pytest.fixture
def tokens(connection: Connection, cup: str) -> dict[str, str]:
    people.add_user(connection, "stranger")
    people.add_user(connection, "web")
    return {
        "stranger": people.add_token(connection, "stranger"),
        "visitor": people.add_token(connection, "web", scopes=[READ]),
        "owner": people.add_token(connection, "owner"),
        "admin": people.add_user(connection, "admin", admin=True),
        "insider": people.add_token(connection, "insider"),
    }


async def said(address: str, token: str, method: MethodDescriptor, fields: Fields) -> bytes:
    """The answer, all of a stream, or how it is refused."""
    asks, answers = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
    path = f"/{method.containing_service.full_name}/{method.name}"
    metadata = (("authorization", f"Bearer {token}"),)
    async with grpc.aio.insecure_channel(address) as channel:
        opened = channel.unary_stream if method.server_streaming else channel.unary_unary
        call: Any = opened(path, asks.SerializeToString, answers.FromString)(asks(**fields), metadata=metadata)
        try:
            found = [one async for one in call] if method.server_streaming else [await call]
        except grpc.aio.AioRpcError as error:
            return f"{error.code().name}: {error.details()}".encode()
        # Deterministic, for maps have no order.
        return b"".join(answer.SerializeToString(deterministic=True) for answer in found)


def served(stack: Stack, database_url: str, asks: Callable[[str], Any]) -> None:
    """Runs a server and what asks it."""

    async def run() -> None:
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        server = asyncio.create_task(
            serve(
                database_url,
                stack.broker_url,
                listen="127.0.0.1:0",
                tls=None,
                metrics="",
                on_ready=lambda address, *_: ready.set_result(address),
                drain_s=1,
                on_drain=print,
            )
        )
        server.add_done_callback(lambda _: ready.done() or ready.cancel())
        try:
            await asks(await ready)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            await server

    asyncio.run(run())


def test_a_private_tournament_is_noticed_by_those_who_have_to_do_with_it_and_by_nobody_else(
    stack: Stack, database_url: str, cup: str, tokens: dict[str, str]
) -> None:
    noticed: dict[tuple[str, int], set[str]] = {}

    async def ask(address: str) -> None:
        for name, questions in ASKED.items():
            for number, (fields, _) in enumerate(questions):
                seen = noticed.setdefault((name, number), set())
                for who in WHO:
                    if callable(fields):
                        there = await said(address, tokens[who], CONCERNED[name], fields(cup))
                        nobody = await said(address, tokens[who], CONCERNED[name], fields(UNKNOWN))
                        if there.replace(cup.encode(), UNKNOWN.encode()) != nobody:
                            seen.add(who)
                    elif cup.encode() in await said(address, tokens[who], CONCERNED[name], fields):
                        seen.add(who)

    served(stack, database_url, ask)
    assert noticed == {
        (name, number): may for name, questions in ASKED.items() for number, (_, may) in enumerate(questions)
    }


def test_nobody_but_its_owner_and_admins_enters_bots_and_a_name_that_is_taken_is_all_that_is_told(
    stack: Stack, database_url: str, connection: Connection, tokens: dict[str, str]
) -> None:
    connection.execute("UPDATE bots SET owner = 'stranger' WHERE name = 'cyd'")
    create, enter, show = (CONCERNED[f"{act}Tournament"] for act in ("Create", "Enter", "Get"))
    hush = {"tournament": "hush", "game": "callbreak", "private": True, "bots": ["ann", "dan"]}

    async def ask(address: str) -> None:
        async def told(who: str, method: MethodDescriptor, **fields: Any) -> bytes:
            return await said(address, tokens[who], method, fields)

        made = pb.Tournament.FromString(await told("owner", create, **hush))
        assert (made.private, made.unrated) == (True, True)
        missing = b"NOT_FOUND: there is no tournament 'hush'; 'arena tournament list' shows them"
        assert await told("stranger", enter, tournament="hush", bots=["cyd"]) == missing
        refused = b"PERMISSION_DENIED: 'hush' is private: owner enters bots, and whom they enter may see it"
        assert await told("insider", enter, tournament="hush", bots=["dan"]) == refused
        assert await told("stranger", create, **hush) == b"ALREADY_EXISTS: the name 'hush' is taken; choose another one"
        assert await told("stranger", show, tournament="hush") == missing
        for who in sorted(DECIDE):
            assert b"hush" in await told(who, enter, tournament="hush", bots=["cyd"])
        assert b"hush" in await told("stranger", show, tournament="hush")
        nameless = pb.Tournament.FromString(await told("owner", create, **{**hush, "tournament": ""}))
        assert nameless.tournament.startswith("private-")

    served(stack, database_url, ask)

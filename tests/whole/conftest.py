"""The whole arena for the tests that walk through it: servers of its own, one `arena serve`, one `arena worker`."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.cli.client import Server, find_login_in
from arena.cli.housing import submit_house_bots
from arena.stack import Stack
from arena.stack.services import Services
from tests.conftest import own_stack


@pytest.fixture(scope="session")
def whole_stack() -> Iterator[Stack]:
    """Servers of its own: its worker must not take what other tests put on the broker."""
    yield from own_stack()


@pytest.fixture(scope="session")
def services(whole_stack: Stack) -> Iterator[Services]:
    """The services, with the house bots submitted over gRPC, validated and active."""
    with ExitStack() as running:
        with pytest.MonkeyPatch.context() as shell:
            # Whoever starts them may have a login somewhere else.
            shell.setenv("ARENA_SERVER", "127.0.0.1:1")
            shell.setenv("ARENA_TOKEN", "0" * 64)
            services = running.enter_context(
                Services(whole_stack, listen="127.0.0.1:0", concurrency=1, metrics="127.0.0.1:0", web="127.0.0.1:0")
            )
        _, house = services.logins()
        submit_house_bots(Server(find_login_in(house)), lambda _: None)
        yield services


@pytest.fixture
def arena(services: Services, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory to give to commands with --data; no login of whoever runs the tests is in the way."""
    monkeypatch.delenv("ARENA_SERVER", raising=False)
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    monkeypatch.setattr("arena.cli.client.LOGIN_FILE", Path(os.devnull))
    return services.logins()[0].parent

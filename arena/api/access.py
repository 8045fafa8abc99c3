"""Who is calling: the token in a call's metadata, and connections to the database for answers. Knows no service."""

import asyncio
import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import grpc
from psycopg import DataError, OperationalError
from psycopg_pool import ConnectionPool, PoolTimeout

from arena.errors import BadRequest, NotLoggedIn, Unavailable
from arena.referee.service import token_of
from arena.store import Connection
from arena.store.people import Token, User, holder

Context = grpc.aio.ServicerContext[Any, Any]
P = ParamSpec("P")
R = TypeVar("R")

NO_TOKEN = "this call needs a token; set ARENA_TOKEN, or run 'arena login ADDRESS'"  # noqa: S105 - a sentence


class Database:
    """Connections for the services. A question runs in a thread, so that the event loop never waits for it."""

    def __init__(self, url: str, size: int = 4) -> None:
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            min_size=1,
            max_size=size,
            timeout=10,
            kwargs={"autocommit": True},
            check=ConnectionPool.check_connection,
            open=True,
        )

    async def ask(self, question: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """What the question returns when it is given a connection.

        :raises Unavailable: if the database does not answer.
        :raises BadRequest: if the question holds a text or number that no database stores.
        """
        return await asyncio.to_thread(functools.partial(self.ask_here, question, *args, **kwargs))

    def ask_here(self, question: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The same for a thread that is not the loop's: it waits.

        :raises Unavailable: if the database does not answer.
        :raises BadRequest: if the question holds a text or number that no database stores.
        """
        try:
            with self._pool.connection() as connection:
                return question(connection, *args, **kwargs)
        except (PoolTimeout, OperationalError) as error:
            raise Unavailable("the database does not answer; try again in a moment") from error
        except DataError as error:
            raise BadRequest("the request holds a text or a number that cannot be stored; look for NUL") from error

    async def caller(self, context: Context, *scopes: str) -> User:
        """Who is calling, with a token that has one of the scopes.

        :raises NotLoggedIn: if the call brings no token, or one with which nobody is let in any more.
        :raises NotAllowed: if the token has none of the scopes.
        """
        user, _ = await self.caller_and_token(context, *scopes)
        return user

    async def caller_and_token(self, context: Context, *scopes: str) -> tuple[User, Token]:
        """As :meth:`caller`, and what the token is."""
        token = token_of(context)
        if not token:
            raise NotLoggedIn(NO_TOKEN)
        return await self.ask(holder, token, *scopes)

    def close(self) -> None:
        """Closes every connection."""
        self._pool.close()

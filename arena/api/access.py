"""Who is calling: the token in a call's metadata, and connections to the database for answers. Knows no service."""

import asyncio
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import grpc
from psycopg import DataError, OperationalError
from psycopg_pool import ConnectionPool, PoolTimeout

from arena.errors import BadRequest, NotLoggedIn, Unavailable
from arena.referee.service import token_of
from arena.store import Connection
from arena.store.people import User, user_of_token

Context = grpc.aio.ServicerContext[Any, Any]
P = ParamSpec("P")
R = TypeVar("R")

NO_TOKEN = "this call needs a token; set ARENA_TOKEN, or run 'arena login ADDRESS'"  # noqa: S105 - a sentence
BAD_TOKEN = "nobody has this token; ask for a new one: 'arena user token NAME' on the server"  # noqa: S105


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

        def run() -> R:
            try:
                with self._pool.connection() as connection:
                    return question(connection, *args, **kwargs)
            except (PoolTimeout, OperationalError) as error:
                raise Unavailable("the database does not answer; try again in a moment") from error
            except DataError as error:
                raise BadRequest("the request holds a text or a number that cannot be stored; look for NUL") from error

        return await asyncio.to_thread(run)

    async def caller(self, context: Context) -> User:
        """Who is calling.

        :raises NotLoggedIn: if the call brings no token or one that nobody has.
        """
        token = token_of(context)
        if not token:
            raise NotLoggedIn(NO_TOKEN)
        user = await self.ask(user_of_token, token)
        if user is None:
            raise NotLoggedIn(BAD_TOKEN)
        return user

    def close(self) -> None:
        """Closes every connection."""
        self._pool.close()

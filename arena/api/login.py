"""Who may dial in as a remote bot: its owner's token, while the arena lets anybody in. Knows no stream."""

import grpc

from arena.api import access
from arena.api.drain import SENTENCE, Drain
from arena.api.quota import Quota
from arena.errors import ArenaError
from arena.referee.hub import Hub
from arena.referee.logins import Logins, too_often
from arena.referee.plan import PlayerId
from arena.referee.service import Authenticate, Refusal
from arena.referee.stream import Hello
from arena.scopes import PLAY
from arena.status import CODES
from arena.store import bots, notices, people


def remote_bots(database: access.Database, hub: Hub, quota: Quota, drain: Drain) -> Authenticate:
    """Lets a remote bot in. Its player id is its name; its owner is whoever has the token."""

    logins = Logins()

    async def authenticate(token: str, hello: Hello) -> PlayerId | Refusal:
        # Whoever has an open match may come back to it.
        if drain.begun and not hub.plays(hello.bot):
            return Refusal(grpc.StatusCode.UNAVAILABLE, SENTENCE)
        if not token:
            return Refusal(grpc.StatusCode.UNAUTHENTICATED, access.NO_TOKEN)
        try:
            user, _ = await database.ask(people.holder, token, PLAY)
            # Before anything is written down, and under both names: nobody takes the logins of somebody else's bot.
            if not logins.take(f"{user.name}/{hello.bot}"):
                return Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, too_often(hello.bot))
            await database.ask(
                bots.declare_version,
                user,
                name=hello.bot,
                declared=hello.version or "1",
                games=list(hello.games),
                batch=hello.batch,
            )
            if await database.ask(notices.disabled, [hello.bot]):
                return Refusal(grpc.StatusCode.FAILED_PRECONDITION, f"{notices.sentence(hello.bot)}.")
        except ArenaError as error:
            return Refusal(CODES[type(error)], str(error))
        return quota.admit(user.name, hello.bot)

    return authenticate

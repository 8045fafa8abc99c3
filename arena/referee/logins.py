"""How often somebody logs in. Knows no stream, no token and no database."""

import time

LOGINS = 20
"""Logins of one bot in a row; one more is allowed every ``LOGIN_EVERY_S``."""

LOGIN_EVERY_S = 2.0


class Logins:
    """The logins of many, each counted under a name."""

    def __init__(self) -> None:
        self._used: dict[str, tuple[float, float]] = {}

    def take(self, name: str) -> bool:
        """Whether there may be one more now; it counts then."""
        now = time.monotonic()
        used, at = self._used.get(name, (0.0, now))
        used = max(0.0, used - (now - at) / LOGIN_EVERY_S)
        if used >= LOGINS:
            return False
        self._used[name] = (used + 1, now)
        if len(self._used) > 10_000:
            self._used = {key: entry for key, entry in self._used.items() if now - entry[1] < LOGINS * LOGIN_EVERY_S}
        return True


def too_often(bot: str) -> str:
    """The sentence for a bot that may not log in now."""
    return f"{bot} logs in too often; wait {LOGIN_EVERY_S:.0f} s between two logins."

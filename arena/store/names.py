"""What a name may look like. Knows no table."""

import re

from arena.errors import BadRequest

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")


def check_name(what: str, name: str) -> None:
    """Returns if the text can name a user, a bot or a tournament.

    :raises BadRequest: if it cannot.
    """
    if _NAME.fullmatch(name) is None:
        raise BadRequest(
            f"'{name[:60]}' cannot name a {what}; use 1 to 40 lower-case letters, digits and hyphens, "
            f"with a letter or digit at both ends"
        )

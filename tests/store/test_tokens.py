"""Tokens in the real database: what one may be used for, until when, and how it is ended."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.errors import BadRequest, NotAllowed, NotFound, NotLoggedIn
from arena.scopes import PLAY, READ, SCOPES, SUBMIT
from arena.store import Connection, people
from tests.tournaments.ground import one


@pytest.fixture
def first(connection: Connection) -> str:
    """The first token of a user."""
    return people.add_user(connection, "ann")


def test_a_first_token_may_do_everything_for_ever_and_is_256_bits(connection: Connection, first: str) -> None:
    assert len(bytes.fromhex(first)) == 32  # in hex, so that it never begins with a dash
    user, token = people.holder(connection, first)
    assert (user.name, token.scopes, token.expires_at) == ("ann", tuple(SCOPES), None)
    for scope in SCOPES:
        people.holder(connection, first, scope)


def test_a_token_is_for_its_scopes_alone(connection: Connection, first: str) -> None:
    token = people.add_token(connection, "ann", "laptop", scopes=[PLAY, READ, PLAY], days=90)
    _, known = people.holder(connection, token, SUBMIT, PLAY)
    assert known.scopes == (READ, PLAY)
    assert known.expires_at == known.created_at + timedelta(days=90)
    sentence = (
        f"the token {known.id} (laptop) is for read, play, and this takes submit; "
        "ask for one with it: 'arena user token NAME --scope submit' on the server"
    )
    with pytest.raises(NotAllowed, match=f"^{re.escape(sentence)}$"):
        people.holder(connection, token, SUBMIT)


def test_an_expired_a_revoked_and_an_unknown_token_are_told_apart(connection: Connection, first: str) -> None:
    expired, revoked = people.add_token(connection, "ann", days=1), people.add_token(connection, "ann", "lost")
    connection.execute("UPDATE tokens SET expires_at = '2026-01-02 03:00Z' WHERE expires_at IS NOT NULL")
    people.revoke_token(connection, "ann", people.holder(connection, revoked)[1].id)
    connection.execute("UPDATE tokens SET revoked_at = '2026-02-03 23:59Z' WHERE revoked_at IS NOT NULL")
    with pytest.raises(
        NotLoggedIn, match=r"^the token [0-9a-f]{12} expired on 2026-01-02; ask for another one: 'arena"
    ):
        people.holder(connection, expired, READ)
    with pytest.raises(NotLoggedIn, match=r"^the token [0-9a-f]{12} \(lost\) was revoked on 2026-02-03; ask for"):
        people.holder(connection, revoked, READ)
    with pytest.raises(NotLoggedIn, match="nobody has this token; ask for another one"):
        people.holder(connection, "some" + first)
    people.holder(connection, first, READ)


def test_what_is_listed_names_a_token_and_is_not_the_token(connection: Connection, first: str) -> None:
    second = people.add_token(connection, "ann", "second", scopes=[READ])
    people.add_user(connection, "bob")
    known = people.tokens(connection, "ann")
    assert [token.label for token in known] == ["first", "second"]
    assert not any(part in repr(known) for part in (first, second))
    assert [token.used_on for token in known] == [None, None]
    people.holder(connection, second)
    today = one(connection, "SELECT (now() AT TIME ZONE 'UTC')::date")
    assert [token.used_on for token in people.tokens(connection, "ann")] == [None, today]
    people.revoke_token(connection, "ann", known[0].id)
    assert [token.label for token in people.tokens(connection, "ann")] == ["second"]


def test_only_a_users_own_token_is_revoked_and_only_once(connection: Connection, first: str) -> None:
    bobs = people.add_user(connection, "bob")
    token_id = people.tokens(connection, "ann")[0].id
    with pytest.raises(NotFound, match=f"^bob has no token '{token_id}'; 'arena user tokens bob' shows their ids"):
        people.revoke_token(connection, "bob", token_id)
    people.revoke_token(connection, "ann", token_id)
    with pytest.raises(NotFound, match="has no token"):
        people.revoke_token(connection, "ann", token_id)
    people.holder(connection, bobs)


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"scopes": []}, "one or more of the scopes"),
        ({"scopes": ["read", "all"]}, "one or more of the scopes read, play, submit, organise, not read, all"),
        ({"days": 0}, "a token lasts 1 to 3650 days, not 0"),
        ({"days": 3651}, "a token lasts 1 to 3650 days"),
        ({"label": "a\nb"}, "a label has at most 64 printable characters"),
        ({"label": "x" * 65}, "a label has"),
    ],
)
def test_a_token_that_cannot_be_is_refused(
    connection: Connection, first: str, wanted: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadRequest, match=sentence):
        people.add_token(connection, "ann", **wanted)
    with pytest.raises(NotFound, match="there is no user 'nobody'"):
        people.add_token(connection, "nobody")


def test_the_kept_token_stays_until_it_is_revoked(connection: Connection) -> None:
    kept = people.keep_token(connection, "admin", None, admin=True)
    assert people.keep_token(connection, "admin", kept, admin=True) == kept
    user, token = people.holder(connection, kept)
    assert (user.admin, token.scopes, token.expires_at) == (True, tuple(SCOPES), None)
    people.revoke_token(connection, "admin", token.id)
    renewed = people.keep_token(connection, "admin", kept, admin=True)
    assert renewed != kept
    people.holder(connection, renewed)
    with pytest.raises(BadRequest, match="the stored token is damaged"):
        people.keep_token(connection, "admin", "short", admin=True)


def test_tokens_of_before_keep_every_scope_and_never_expire(connection: Connection) -> None:
    # The table as it was, with a token in it; then the step again that gave tokens scopes.
    connection.execute("ALTER TABLE tokens DROP scopes, DROP expires_at, DROP revoked_at, DROP used_on")
    connection.execute("DROP INDEX tokens_of_owner")
    connection.execute("INSERT INTO users (name) VALUES ('old')")
    connection.execute("INSERT INTO tokens (sha256, owner) VALUES (sha256('a token of before'), 'old')")
    step = Path(arena.__file__).parent / "store" / "migrations" / "versions" / "v0003_tokens.sql"
    connection.cursor().execute(step.read_bytes())
    _, token = people.holder(connection, "a token of before")
    assert (token.scopes, token.expires_at) == (tuple(SCOPES), None)

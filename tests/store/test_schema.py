"""The schema is what the migrations make, and keeps its promises by itself."""

from concurrent.futures import ThreadPoolExecutor

import psycopg

from arena.store import migrate


def test_migrating_twice_and_at_once_changes_nothing(database_url: str) -> None:
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(migrate, [database_url] * 3))
    with psycopg.connect(database_url) as connection:
        assert connection.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)

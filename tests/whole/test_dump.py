"""An arena that was dumped goes on in another place: with its ratings, its records and the bots that were uploaded."""

import json
from pathlib import Path

import pytest

from arena.cli import main
from arena.stack import Stack
from arena.stack.services import Services

BOTS = ["steady", "bold", "random-1"]


@pytest.mark.long
def test_an_arena_goes_on_where_its_dump_is_restored(
    arena: Path, short_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, new = str(tmp_path / "arena.dump"), short_dir / "new"
    create = ["--game", "minus_one", "--seats", "3", "--units", "1", "--bots", *BOTS]
    assert main(["tournament", "create", "dumped", *create, "--data", str(arena)]) == 0
    assert main(["tournament", "watch", "dumped", "--data", str(arena)]) == 0
    assert main(["dump", file, "--data", str(arena)]) == 0
    assert main(["restore", file, "--data", str(arena)]) == 1
    assert "not empty" in capsys.readouterr().err

    data = ["--data", str(new)]
    assert main(["restore", file, *data]) == 0
    assert main(["ratings", "rebuild", "--verify", *data]) == 0
    assert "to the last bit" in capsys.readouterr().out
    with Stack(new) as stack, Services(stack, listen="127.0.0.1:0", concurrency=1) as services:
        services.logins()
        records = tmp_path / "records"
        assert main(["record", "fetch", "dumped", str(records), *data]) == 0
        assert main(["record", "verify", *sorted(map(str, records.iterdir()))]) == 0
        # Nobody submitted a bot here: what plays are the archives of the dump.
        assert main(["tournament", "create", "again", *create, *data]) == 0
        capsys.readouterr()
        assert main(["tournament", "watch", "again", *data]) == 0
        assert "is done" in capsys.readouterr().out
        # Here, where no other test wants them: the records go, and all that follows from results stays.
        before = json_ratings(capsys, data)
        assert main(["record", "prune", "--older-than", "0d", "--dry-run", *data]) == 0
        assert main(["record", "prune", "--older-than", "1d", *data]) == 0
        assert "no closed tournament older than 1d has a record left" in capsys.readouterr().out
        assert main(["record", "prune", "--older-than", "0d", *data]) == 0
        assert "again " in capsys.readouterr().out
        assert main(["record", "fetch", "again", str(records / "again"), *data]) == 0
        assert "0 records fetched, 0 were there, 9 were pruned on the server" in capsys.readouterr().out
        assert main(["ratings", "rebuild", "--verify", *data]) == 0
        assert json_ratings(capsys, data) == before


def json_ratings(capsys: pytest.CaptureFixture[str], data: list[str]) -> object:
    capsys.readouterr()
    assert main(["ratings", "minus_one", "--json", *data]) == 0
    return json.loads(capsys.readouterr().out)

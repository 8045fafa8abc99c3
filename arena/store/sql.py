"""SQL statements by name, from files. Knows no statement and no connection.

A file is a list of statements, each below a line that names it and says in one line what it does:

    -- claim_block: leases a block that waits, or one whose lease ran out
    UPDATE …
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_NAME = re.compile(r"^-- (\w+): (\S.*)$", re.MULTILINE)


class Statements(Mapping[str, bytes]):
    """The statements of one file by name. As bytes, because psycopg takes no text that is put together at run time."""

    def __init__(self, path: Path) -> None:
        """Reads the file.

        :raises ValueError: if a name stands twice, or something stands above the first name.
        """
        head, *parts = _NAME.split(path.read_text("utf-8"))
        if head.strip():
            raise ValueError(f"{path} has text above its first '-- name: purpose' line")
        self._texts: dict[str, bytes] = {}
        for name, text in zip(parts[::3], parts[2::3], strict=True):
            if name in self._texts:
                raise ValueError(f"{path} has two statements called {name}")
            self._texts[name] = text.strip().rstrip(";").encode()

    def __getitem__(self, name: str) -> bytes:
        return self._texts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def statements(module_file: str) -> Statements:
    """The statements that stand beside a module in the file of its name: `statements(__file__)`."""
    return Statements(Path(module_file).with_suffix(".sql"))

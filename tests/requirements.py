"""Which test covers which rule id, as a table for docs/rules/requirements.md. Knows no game and judges no test.

A page of docs/rules states an id where it writes it, in brackets behind a clause, at the head of a list item or in a
table of options; ``CB-11 to CB-15`` states all five. A test covers the ids in its name (``test_cb_05_…``), in the id of
its row (``CB-25``) and in its marker ``rule``.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs" / "rules"
TABLE = PAGES / "requirements.md"

ID = re.compile(r"\b(?:CB|MN|MO|CW)-[VBT]?\d+(?!\d)")
SPAN = re.compile(r"\b([A-Z]{2}-[VBT]?)(\d+) to ([A-Z]{2}-[VBT]?)(\d+)\b")
ITEM = re.compile(r"(?:- |\d+\. )?\*\*([^*]*)\*\* ?(.*)")
CITED = re.compile(r"\(([^()]*)\)")
KINDS = {"": 0, "V": 1, "B": 2, "T": 3}
MOST_WORDS = 24
MOST_TESTS = 4

Coverage = Mapping[str, Sequence[str]]
"""Names of test functions, ``engine/test_tricks.py::test_winner``, by the id that they cover."""


def stated(page: str) -> dict[str, str]:
    """The ids that a page states, each with the words that state it: a few, for a table."""
    found: dict[str, str] = {}
    for block in _blocks(page):
        if block.startswith("|"):
            cells = [cell.strip() for cell in block.strip("|").split("|")]
            _note(found, cells[-1], f"{cells[0]}: {cells[1]}" if len(cells) > 2 else cells[0])
        elif (item := ITEM.fullmatch(block)) and ID.match(item[1]):
            _note(found, item[1], item[2], head=True)
        else:
            start = 0
            for cited in CITED.finditer(block):
                _note(found, cited[1], _clause(block[start : cited.start()]))
                start = cited.end() if ID.search(cited[1]) else start
    return found


def ids_in(text: str) -> set[str]:
    """Every id of a text, those within a span too."""
    ids = set(ID.findall(text))
    for kind, first, other, last in SPAN.findall(text):
        assert kind == other, f"{kind}{first} to {other}{last} is no span."
        ids |= {f"{kind}{number:0{len(first)}}" for number in range(int(first), int(last) + 1)}
    return ids


def order(rule: str) -> tuple[str, int, int]:
    """Sorts the ids of a game: rules, variants, settled points, examples, each by number."""
    game, _, rest = rule.partition("-")
    kind = rest.rstrip("0123456789")
    return game, KINDS[kind], int(rest[len(kind) :])


def claimed(item: pytest.Item) -> set[str]:
    """The ids that a collected test says it covers."""
    function, _, row = item.name.partition("[")
    words = re.sub(r"_(?=[a-z]{2}_[vbt]?\d)|_(?=[vbt]?\d)", "-", function.replace("test_", "-", 1)).upper()
    named = set(ID.findall(words.replace("_", " ")))
    marked = {rule for mark in item.iter_markers("rule") for rule in mark.args}
    return named | set(ID.findall(row)) | marked


class Collector:
    """A pytest plugin that keeps what is collected, and runs nothing."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = list(session.items)


def coverage() -> Coverage:
    """The tests of each claimed id. It collects tests/ itself, whatever part of it is being run.

    :raises RuntimeError: if the tests cannot be collected.
    """
    collector = Collector()
    options = ["--collect-only", "-p", "no:cacheprovider", "--rootdir", str(ROOT), str(ROOT / "tests")]
    with redirect_stdout(StringIO()) as told:
        code = pytest.main(options, plugins=[collector])
    if code != pytest.ExitCode.OK:
        raise RuntimeError(f"The tests cannot be collected; pytest says:\n{told.getvalue()[-2000:]}")
    tests: dict[str, list[str]] = {}
    for item in collector.items:
        name = item.nodeid.partition("[")[0].removeprefix("tests/")
        for rule in claimed(item):
            names = tests.setdefault(rule, [])
            if name not in names:
                names.append(name)
    return tests


def pages() -> dict[str, dict[str, str]]:
    """What each page of a game states, by its title; a page that states no rule is left out."""
    texts = [path.read_text("utf-8") for path in sorted(PAGES.glob("*.md")) if path != TABLE]
    games = {text.partition("\n")[0].removeprefix("# "): stated(text) for text in texts}
    return {title: rules for title, rules in games.items() if rules}


def written(games: Mapping[str, Mapping[str, str]], tests: Coverage) -> str:
    """The page with one table per game."""
    lines = [
        "# Rules and their tests",
        "",
        "Written by `make requirements`; do not edit. The ids of the pages beside this one, and the tests of each;",
        "these are in `tests/` and carry the id in their name, in that of a row, or in a marker.",
    ]
    for title, rules in games.items():
        lines += ["", f"## {title}", "", "| id | says | tests |", "| --- | --- | --- |"]
        for rule in sorted(rules, key=order):
            lines.append(f"| {rule} | {rules[rule]} | {_tests(tests.get(rule, ()))} |")
    return "\n".join(lines) + "\n"


def _tests(names: Sequence[str]) -> str:
    """The cell of some tests, each file named once: ``engine/test_tricks.py: `test_winner`, `test_duties```."""
    files: dict[str, list[str]] = {}
    for name in names[:MOST_TESTS]:
        file, _, function = name.partition("::")
        files.setdefault(file, []).append(f"`{function}`")
    shown = [f"{file}: {', '.join(functions)}" for file, functions in files.items()]
    if len(names) > MOST_TESTS:
        shown.append(f"{len(names) - MOST_TESTS} more")
    return "; ".join(shown)


def _blocks(page: str) -> list[str]:
    """Paragraphs, list items and table rows, each on one line."""
    blocks = [""]
    for line in page.splitlines():
        if not line.strip() or line.startswith(("|", "#", "- ")) or re.match(r"\d+\. ", line):
            blocks.append("")
        blocks[-1] = f"{blocks[-1]} {line.strip()}".strip()
    return blocks


def _note(found: dict[str, str], cited: str, words: str, *, head: bool = False) -> None:
    for rule in ids_in(cited):
        if head or rule not in found:
            found[rule] = _short(words)


def _clause(text: str) -> str:
    """The last sentence or part of one."""
    return re.split(r"(?<=[^0-9])[.:] |\*\* ?|^\d+\. ", text)[-1].strip(" ,;.:")


def _short(text: str) -> str:
    words = text.strip(" ,;.:").split()
    return " ".join(words) if len(words) <= MOST_WORDS else " ".join(words[:MOST_WORDS]).rstrip(",;:.") + " …"


if __name__ == "__main__":
    TABLE.write_text(written(pages(), coverage()), "utf-8")
    print(f"wrote {TABLE.relative_to(ROOT)}", file=sys.stderr)

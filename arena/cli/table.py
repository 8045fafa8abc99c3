"""Plain tables for a terminal and the same rows as JSON. Knows nothing of what the rows mean."""

import json
from collections.abc import Mapping, Sequence

Value = str | int | float | None
NO_DECIMALS: Mapping[str, int] = {}


def print_table(
    heads: Sequence[str],
    rows: Sequence[Sequence[Value]],
    *,
    decimals: Mapping[str, int] = NO_DECIMALS,
    as_json: bool = False,
) -> None:
    """Prints rows under their heads. Numbers and heads over numbers stand at the right, text at the left.

    With ``as_json`` it prints one JSON array of objects, the heads in lower case with underscores as keys.

    :param decimals: by head, how many decimals its numbers are shown with.
    """
    if as_json:
        keys = [head.lower().replace(" ", "_") for head in heads]
        print(json.dumps([dict(zip(keys, row, strict=True)) for row in rows], ensure_ascii=False))
        return
    texts = [[_text(value, decimals.get(head)) for head, value in zip(heads, row, strict=True)] for row in rows]
    widths = [max(len(head), *(len(row[i]) for row in texts), 0) for i, head in enumerate(heads)]
    right = [bool(rows) and not any(isinstance(row[i], str) for row in rows) for i in range(len(heads))]
    for line in (list(heads), *texts):
        cells = [text.rjust(w) if r else text.ljust(w) for text, w, r in zip(line, widths, right, strict=True)]
        print("  ".join(cells).rstrip())


def _text(value: Value, decimals: int | None) -> str:
    if value is None:
        return ""
    return str(value) if decimals is None else f"{value:.{decimals}f}"

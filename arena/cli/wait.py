"""What is shown while a command waits for something. Knows no command."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def waiting(sentence: str) -> Iterator[Callable[[str], None]]:
    """Shows the sentence and a spinner at a terminal until the block ends; nothing anywhere else. Yields the function
    that changes the sentence. Print nothing inside: at a terminal it would go to the standard error."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status(sentence + " …") as status:
        yield lambda changed: status.update(changed + " …")

"""`python -m arena`, and the console script. Knows that the command needs more than the kit, and no command."""

import sys
from typing import NoReturn


def run() -> NoReturn:
    """The command `arena`, or a sentence where only the kit is installed."""
    try:
        from arena.cli import run as command  # noqa: PLC0415 - it needs packages that the kit does without
    except ModuleNotFoundError as missing:
        sys.exit(
            f"arena: only the kit for bots is installed here, and the command needs more ({missing.name} is missing): "
            f"pip install 'card-arena[server]'"
        )
    command()


if __name__ == "__main__":
    run()

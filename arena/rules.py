"""The rules of each game as people read them: Markdown that comes with the package. Knows no game by name."""

from importlib.resources import files


def page_of(game: str) -> str:
    """The page of a game (an id), Markdown in UTF-8.

    :raises FileNotFoundError: if there is none.
    """
    return files("arena").joinpath("rule_pages", f"{game}.md").read_text("utf-8")

"""Markdown of ours as HTML that is safe to show. Knows no game and no page."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

RULE = re.compile(r"\b[A-Z]{2}-[BVT]?\d+\b")
"""The id of a rule, as the options of the games name them, too."""


@lru_cache(16)
def prose(text: str) -> Markup:
    """The text as HTML. No HTML of its own gets through, links lead nowhere, tables scroll by themselves, and where a
    rule's id stands first is an anchor of that name."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    named: set[str] = set()
    for token in tokens:
        if token.children:
            token.children = [
                part
                for child in token.children
                if child.type not in {"link_open", "link_close", "image"}
                for part in _with_anchors(child, named)
            ]
    html = parser.renderer.render(list(_scrolling(tokens)), parser.options, {})
    return Markup(html)  # noqa: S704 - markdown-it has escaped what it was given


def _with_anchors(token: Token, named: set[str]) -> Iterator[Token]:
    """The token, its text parted where ids stand that have not stood before."""
    if token.type != "text":
        yield token
        return
    at = 0
    for found in RULE.finditer(token.content):
        if found[0] in named:
            continue
        named.add(found[0])
        yield Token("text", "", 0, content=token.content[at : found.start()])
        yield Token("html_inline", "", 0, content=f'<span id="{found[0]}">{found[0]}</span>')
        at = found.end()
    yield Token("text", "", 0, content=token.content[at:])


def _scrolling(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        if token.type == "table_open":
            yield Token(
                "html_block", "", 0, content='<div class="scroll" role="group" aria-label="Table" tabindex="0">'
            )
        yield token
        if token.type == "table_close":
            yield Token("html_block", "", 0, content="</div>\n")

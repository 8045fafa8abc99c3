"""The rules as they are shown: all of the page, each rule where its link leads, and nothing that could do harm."""

import re

import html5lib
import pytest

import engine
from arena.rules import page_of
from arena.web.prose import RULE, prose


@pytest.mark.parametrize("game", engine.GAMES)
def test_every_rule_of_a_game_stands_once_where_its_link_leads(game: str) -> None:
    text = page_of(game)
    html = str(prose(text))
    html5lib.HTMLParser(strict=True).parse(f"<!doctype html><title>x</title>{html}")
    anchors = re.findall(r'id="([^"]*)"', html)
    assert len(anchors) == len(set(anchors))
    assert set(anchors) == set(RULE.findall(text))
    options = engine.GAMES[game].options.__dataclass_fields__
    assert {field.metadata["rule"] for field in options.values()} <= set(anchors)
    assert all(f"<code>{name}</code>" in html for name in options)


def test_html_and_links_of_a_text_do_not_get_through() -> None:
    html = str(
        prose('a <script>alert(1)</script> <b id="x">\n\n[here](javascript:alert(1)) ![there](http://x/y)\n\n`<i>`')
    )
    assert not re.findall(r"<(?!/?(?:p|code)>)[^>]*>", html)
    assert "&lt;script&gt;" in html
    assert "here" in html

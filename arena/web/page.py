"""A template with what every page needs becomes a response. Knows no address."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

import engine
from arena.web import report, text
from arena.web.cards import signed
from arena.web.session import visitor_of

templates = Environment(
    loader=PackageLoader("arena.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
templates.filters.update(
    number=text.number,
    day=text.day,
    machine=text.machine,
    game=text.game_name,
    plural=text.plural,
    signed=signed,
    scale=report.scale,
)
templates.globals["decades"] = report.DECADES


async def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """The page of the template. It knows ``visitor``, ``games`` (ids) and ``path`` besides the values."""
    visitor = await visitor_of(request)
    known = {"visitor": visitor, "games": tuple(engine.GAMES), "path": request.url.path}
    return HTMLResponse(templates.get_template(template).render(known | values), status)

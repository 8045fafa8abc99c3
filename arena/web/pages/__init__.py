"""One module for one kind of address; each has ROUTES. They ask the API, and know no database."""

from starlette.convertors import Convertor, register_url_convertor


class Number(Convertor[int]):
    """A number in an address that every message has room for; a longer one leads to no page."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Its digits."""
        return str(value)


register_url_convertor("number", Number())

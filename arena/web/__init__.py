"""The pages: what the API knows, for people. A client of the API like any other; knows no database and no secret.

One module of `pages` for one kind of address; `templates` has their text, `static` the style and the few scripts.
"""

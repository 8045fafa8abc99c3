"""The simplest bot there is: a folder with ``main.py`` and ``bot.toml``, as an author submits it."""

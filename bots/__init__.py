"""The house's bots: programs that fill tables, anchor the ratings and show authors how a bot is written. Knows only the
kit and the engine."""

"""The referee: it asks, judges answers and keeps the clocks. Knows the rules only through `engine.game`."""

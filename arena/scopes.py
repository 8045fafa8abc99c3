"""What a token may be used for. Knows no token and no call."""

READ = "read"
PLAY = "play"
SUBMIT = "submit"
ORGANISE = "organise"

SCOPES = {
    READ: "look at bots, tournaments, ratings, matches and records",
    PLAY: "connect bots, play unrated matches with them, and host rooms",
    SUBMIT: "upload bots, see what became of them, and retire them",
    ORGANISE: "make tournaments, enter bots, start, watch and correct them",
}
"""Every scope and what it allows. A token has one or more; the schema lists the same names."""

"""Bots that are programs of their own: started as Python's are, with a socket and a ticket and nothing else."""

import subprocess
from pathlib import Path

import pytest

from arena.tournaments.check import check_folder
from sandbox.host import NoCellError, detect

try:
    detect()
except NoCellError as error:
    pytest.skip(f"no cells on this host: {error}", allow_module_level=True)

MANIFEST = 'name = "tool"\nentry = "tool"\ngames = ["minus_one"]\n'

KNOCKING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments) {
    struct sockaddr_un seat = {.sun_family = AF_UNIX};
    strcpy(seat.sun_path, getenv("ARENA_SOCKET") + strlen("unix:"));
    int open = socket(AF_UNIX, SOCK_STREAM, 0);
    printf("%d %s %s: ", count, arguments[0], seat.sun_path);
    printf("%s, ", connect(open, (struct sockaddr *)&seat, sizeof seat) ? "closed" : "open");
    printf("a ticket of %zu, ", strlen(getenv("ARENA_TICKET")));
    printf("%s the kit\n", access("/kit", F_OK) ? "without" : "with");
    return 7;
}
"""


def build(compiler: str, folder: Path, *flags: str) -> None:
    (folder / "bot.toml").write_text(MANIFEST)
    subprocess.run([compiler, "-x", "c", *flags, "-o", folder / "tool", "-"], input=KNOCKING, text=True, check=True)


def test_a_static_program_is_started_at_its_socket_with_its_ticket(compiler: str, tmp_path: Path) -> None:
    build(compiler, tmp_path, "-static")
    verdict = check_folder(tmp_path)
    assert not verdict.admitted
    assert "The bot's process ended by itself with code 7." in verdict.reason
    assert "1 /bot/tool /run/arena/seat.sock: open, a ticket of 43, without the kit" in verdict.log


def test_a_program_that_needs_libraries_is_refused_before_it_is_started(compiler: str, tmp_path: Path) -> None:
    build(compiler, tmp_path)
    verdict = check_folder(tmp_path)
    assert not verdict.admitted
    assert "the entry point 'tool' needs libraries that a cell does not have" in verdict.reason

"""What is asked of a bot's archive before anything of it is stored or started, at the server and at home alike. Knows
no stream, no database and no cell."""

from pathlib import Path

import engine
from arena.errors import BadRequest
from sandbox.archive import MANIFEST, ArchiveError, Manifest, examine, pack
from sandbox.program import HERE


def look(archive: bytes, machine: str = HERE) -> tuple[Manifest, str]:
    """The manifest of an archive and its content hash.

    :raises ArchiveError: if it is refused, or names a game that there is not.
    """
    try:
        manifest, content = examine(archive, machine=machine)
    except ArchiveError as error:
        raise _refused(error) from error
    for game in manifest.games:
        if game not in engine.GAMES:
            raise ArchiveError(f"{MANIFEST} names the game '{game}'; games are {', '.join(sorted(engine.GAMES))}")
    return manifest, content


def carry(folder: Path, machine: str = HERE) -> tuple[bytes, Manifest, str]:
    """The archive of a folder, its manifest and its content hash. A program must be for that machine.

    :raises BadRequest: if there is no such folder.
    :raises ArchiveError: as :func:`look`, and if the folder holds what cannot be packed.
    """
    if not folder.is_dir():
        raise BadRequest(f"{folder} is not a folder; name the folder that holds {MANIFEST}")
    try:
        archive = pack(folder)
    except ArchiveError as error:
        raise _refused(error) from error
    return archive, *look(archive, machine)


def _refused(error: ArchiveError) -> ArchiveError:
    return ArchiveError(f"the archive is refused: {error}")

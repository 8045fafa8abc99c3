"""Every attack is held, in this user's own tier and, when this user is root, in the tier of users who are nobody and in
the one without namespaces."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.sandbox.attacks import BY_NAME, MACHINE
from tests.sandbox.attacks.nobody import NobodyError, told_by_nobody, told_without_namespaces
from tests.sandbox.attacks.scene import SECRET, SLOT, Scene, verdict

everything = pytest.mark.parametrize("name", [name for name, attack in BY_NAME.items() if MACHINE in attack.machines])


@pytest.fixture(scope="module", autouse=True)
def _secret() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_SECRET", SECRET)
        yield


@everything
def test_an_attack_is_held(name: str, scene: Scene) -> None:
    attack = BY_NAME[name]
    ended, left = scene.run(attack.code, attack.limits, attack.grace_ms)
    assert not verdict(attack.in_tier(scene.host.tier), ended, left)


FUTEX = """
libc.mmap.restype = ctypes.c_void_p
file, size, offset = os.open("/usr/bin/env", os.O_RDONLY), ctypes.c_size_t(4096), ctypes.c_long(0)
at = ctypes.c_void_p(libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_PRIVATE, file, offset))
"""
WAITS = """
seconds = (ctypes.c_long * 2)(10, 0)
print("heard", call("futex", at, 0, ctypes.c_uint.from_address(at.value), seconds, None, 0))
"""
WAKES = """
until = time.monotonic() + 10
while libc.syscall(numbers["futex"], at, 1, 1, None, None, 0) != 1 and time.monotonic() < until: time.sleep(0.01)
"""


def test_two_bots_at_one_table_can_still_signal_through_a_futex_in_a_file_that_both_map(scene: Scene) -> None:
    """The filter cannot see what an address maps, and threads are joined through the very same call. Nothing of it
    lasts, so no bot learns of a rotation before its own. When this fails, docs/sandbox.md says too little of us."""
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(scene.run, FUTEX + WAITS, grace_ms=20_000)
        pool.submit(scene.run, FUTEX + WAKES, grace_ms=20_000, slot=SLOT + 1).result()
        ended, left = waiting.result()
    assert (ended.log, left) == (b"heard REACHED\n", [])


@pytest.fixture(scope="module")
def faults() -> dict[str, str]:
    """What went wrong with each attack when a user without any rights starts the cells."""
    if os.geteuid() != 0:
        pytest.skip("this user is not root, so the tests above were in the tier of ordinary users already")
    try:
        return told_by_nobody()
    except NobodyError as error:
        pytest.skip(str(error))


@everything
def test_an_attack_is_held_in_cells_started_by_nobody(name: str, faults: dict[str, str]) -> None:
    assert not faults[name]


@pytest.fixture(scope="module")
def faults_of_nons() -> dict[str, str]:
    """What went otherwise than it must with each attack where root has no namespaces."""
    if os.geteuid() != 0:
        pytest.skip("without namespaces only root starts cells")
    try:
        return told_without_namespaces()
    except NobodyError as error:
        pytest.skip(str(error))


@pytest.mark.long
@everything
def test_an_attack_is_held_without_namespaces(name: str, faults_of_nons: dict[str, str]) -> None:
    """Or seen to be open, as `Bare.open` says."""
    assert not faults_of_nons[name]

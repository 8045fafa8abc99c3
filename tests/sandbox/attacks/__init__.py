"""Hostile bots: what each does, what stops it and what must be seen of it, as data, in families."""

from tests.sandbox.attacks import kernel, memory, others, processes, storage, traces
from tests.sandbox.attacks.attack import MACHINE, SMALL, Attack

__all__ = ["BY_NAME", "FAMILIES", "MACHINE", "SMALL", "Attack"]

FAMILIES: dict[str, list[Attack]] = {
    "memory": memory.ATTACKS,
    "processes": processes.ATTACKS,
    "storage": storage.ATTACKS,
    "others": others.ATTACKS,
    "kernel": kernel.ATTACKS,
    "traces": traces.ATTACKS,
}
"""By the name of the module. The order counts: one bot looks for what the one before it left."""

BY_NAME = {attack.name: attack for attacks in FAMILIES.values() for attack in attacks}

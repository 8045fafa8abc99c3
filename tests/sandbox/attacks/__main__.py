"""Runs every attack in the name of whoever starts this, and prints one line of JSON for each."""

import json
import os
import sys
import tempfile
from pathlib import Path

from sandbox.host import detect
from tests.sandbox.attacks import BY_NAME, MACHINE
from tests.sandbox.attacks.scene import SECRET, set_up, verdict


def main(folder: str) -> None:
    os.environ["ARENA_SECRET"] = SECRET
    scene, sockets = set_up(Path(tempfile.mkdtemp(dir=folder)), detect())
    print(json.dumps({"tier": scene.host.tier.value, "uid": os.geteuid()}), flush=True)
    for name, attack in BY_NAME.items():
        if MACHINE in attack.machines:
            ended, left = scene.run(attack.code, attack.limits, attack.grace_ms)
            fault = verdict(attack.in_tier(scene.host.tier), ended, left)
            print(json.dumps({"name": name, "fault": fault}), flush=True)
    for each in sockets:
        each.close()


main(sys.argv[1])

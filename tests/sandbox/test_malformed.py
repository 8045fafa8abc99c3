"""Two thousand malformed archives: each is refused with its reason, or is what it was, and leaves nothing behind."""

import json
import re
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from tests.sandbox.malformed import ANYWHERE, EACH, FLIPPED, KINDS


@pytest.fixture(scope="module")
def judged() -> list[dict[str, Any]]:
    """What became of every archive, in a process that has no room for a bomb."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.sandbox.malformed"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_no_malformed_archive_is_taken_for_another_or_leaves_anything(judged: list[dict[str, Any]]) -> None:
    assert len(judged) == EACH * len(KINDS) + FLIPPED >= 1000
    assert [one for one in judged if one["wrong"]] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_refused_with_its_reason(judged: list[dict[str, Any]], kind: str) -> None:
    refusals = [one["refusal"] for one in judged if one["kind"] == kind]
    assert len(refusals) == EACH
    for refusal in refusals:
        assert re.search(KINDS[kind][1], refusal)
        assert re.search(r"[;,] .*\.$", refusal), "it says what to do"


def test_bytes_changed_anywhere_are_refused_with_a_reason_of_ours(judged: list[dict[str, Any]]) -> None:
    anywhere = [one["refusal"] for one in judged if one["kind"] not in KINDS]
    reasons = Counter(next((sentence for sentence in ANYWHERE if re.search(sentence, one)), one) for one in anywhere)
    assert reasons.keys() <= {*ANYWHERE, ""}
    assert len(reasons) > 12, "they are of many sorts"
    assert 0 < reasons[""] < FLIPPED / 10, "a few changes change nothing that counts"


def test_the_work_is_bounded_by_what_an_archive_lists(judged: list[dict[str, Any]]) -> None:
    assert max(one["calls"] for one in judged) < 2000

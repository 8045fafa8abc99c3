"""`python -m tests.second_reading --matches 2000`: has matches played and judges every record. Knows no rule."""

import argparse
import random
from collections import Counter
from pathlib import Path

from tests.second_reading.matches import engine_matches
from tests.second_reading.reading import Refused, judge

parser = argparse.ArgumentParser(prog="python -m tests.second_reading", description=__doc__)
parser.add_argument("--matches", type=int, default=2000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--refused", type=Path, default=Path("refused.jsonl"), help="where a refused record is put")
arguments = parser.parse_args()
records = engine_matches(random.Random(arguments.seed))
seen: Counter[str] = Counter()
decisions = 0
for _ in range(arguments.matches):
    record = next(records)
    try:
        reading = judge(record)
    except Refused as refusal:
        arguments.refused.write_text(record, encoding="utf-8")
        raise SystemExit(f"{refusal} The record is in {arguments.refused}.") from None
    decisions += reading.decisions
    seen.update({f"{reading.game}: {what}": count for what, count in reading.seen.items()})
for what, count in sorted(seen.items()):
    print(f"{count:9} {what}")
print(f"{arguments.matches} matches with {decisions} decisions, and the two readings agree")

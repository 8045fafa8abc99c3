"""How long schedules of ten thousand bots take: `python -m benchmarks.schedules`."""

import time

from arena.tournaments.balance import balance
from arena.tournaments.formats import Format, whole
from arena.tournaments.schedule import Entry

BOTS = 10_000


def main() -> None:
    """Prints a table."""
    strangers = [Entry(f"bot-{number}", f"owner-{number}", house=False) for number in range(BOTS)]
    of_ten = [Entry(f"bot-{number}", f"owner-{number // 10}", house=False) for number in range(BOTS)]
    fifth = [Entry(f"bot-{number}", f"owner-{max(number, 2_000)}", house=False) for number in range(BOTS)]
    five = [Entry(f"bot-{number}", f"owner-{number // 2_000}", house=False) for number in range(BOTS)]
    gauntlet = [Entry("new", "author", house=False), *(Entry(one.id, one.owner, False, True) for one in strangers)]
    print("| format | owners | seats | orbits | tables | seconds | meetings of a pair | balance, seconds |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- | ---: |")
    for form, what, entries, seats, orbits in (
        (Format.ROUND_ROBIN, "10,000", strangers, 4, 1),
        (Format.ROUND_ROBIN, "10,000", strangers, 4, 10),
        (Format.ROUND_ROBIN, "10,000", strangers, 7, 10),
        (Format.ROUND_ROBIN, "1,000 of 10 bots", of_ten, 4, 10),
        (Format.ROUND_ROBIN, "one of 2,000, others of one", fifth, 4, 1),
        (Format.ROUND_ROBIN, "5 of 2,000 bots", five, 4, 1),
        (Format.GAUNTLET, "10,001", gauntlet, 4, 1),
        (Format.SWISS, "10,000", strangers, 4, 10),
        (Format.SWISS, "5 of 2,000 bots", five, 4, 10),
    ):
        began = time.perf_counter()
        tables = whole(form, entries, seats, orbits, bytes(32))
        drawn = time.perf_counter()
        found = balance(entries, tables, 4, seats)
        assert form is Format.GAUNTLET or not found.same_owner
        took = (
            f"{drawn - began:.1f} | {found.meetings.least} to {found.meetings.most} | {time.perf_counter() - drawn:.1f}"
        )
        print(f"| {form} | {what} | {seats} | {orbits} | {len(tables):,} | {took} |", flush=True)


if __name__ == "__main__":
    main()

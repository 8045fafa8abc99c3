"""A program that speaks the protocol of the block process and plays nothing: what it does is its first argument.

play          reports every match, and ends
slow          the same, 0.1 s a match
watched       the same, and says what may be seen of the last rotation
die           is killed after the first match
die-late      is killed before the last one
crash         ends with an error and a word about it
stand-still   tells about progress that is none, until its input closes
flood         writes without end and never looks whether anybody reads
babble        writes something that is no report
no-bot        a bot is not there: nobody's fault
no-bot-late   the same, after cards were dealt
forfeit       the first player forfeits every match
environment   fails with the names of its environment variables
"""

import hashlib
import os
import signal
import sys
import time
from pathlib import Path

from arena.tournaments.block import (
    Beginning,
    Block,
    BotLog,
    Cause,
    Done,
    Failed,
    MatchReport,
    Progress,
    Report,
    ReportedFault,
    read_block,
    write_report,
)
from arena.tournaments.runs import LogPart, MatchSpan, Run


def tell(report: Report) -> None:
    print(write_report(report), flush=True)


def play(block: Block, behaviour: str) -> None:
    matches = 0
    for plan in block.units:
        for rotation in range(block.rotations):
            seats = plan.seats(rotation)
            forfeited = (seats.index(0),) if behaviour == "forfeit" else ()
            report = MatchReport(
                unit=plan.unit,
                rotation=rotation,
                seats=seats,
                scores=tuple(range(block.seats)),
                places=tuple(range(1, block.seats + 1)),
                forfeited=forfeited,
                faults=tuple(ReportedFault(seat, 3, "GONE", "It never came.") for seat in forfeited),
                decisions=52,
                digest=hashlib.sha256(plan.seed + bytes(seats)).hexdigest(),
                record=f'{{"record":1,"unit":{plan.unit},"rotation":{rotation}}}\n',
            )
            matches += 1
            tell(report)
            tell(Progress(matches, matches * 52))
            if behaviour == "watched" and rotation == block.rotations - 2:
                tell(Beginning(plan.unit, rotation + 1, plan.seats(rotation + 1), "a deal of it"))
                # Until somebody has seen it, or cannot.
                while not Path(sys.argv[2], "seen").exists():
                    time.sleep(0.01)
            if behaviour == "slow":
                time.sleep(0.1)
            if behaviour == "die" or (behaviour == "die-late" and matches == block.matches - 1):
                os.kill(os.getpid(), signal.SIGKILL)
    run = Run(block.game, "ended by itself with code 0", "", 7, 20, 11, 150, 160, {}, ())
    tell(
        BotLog(
            0,
            0,
            run,
            (LogPart(0, 900, "I was here."),),
            (MatchSpan(block.units[0].unit, block.match_id(0, 0), 100, 800),),
        )
    )
    tell(Done("userns"))


def main() -> None:
    behaviour = sys.argv[1]
    block = read_block(sys.stdin.readline())
    match behaviour:
        case "crash":
            sys.exit("I do not feel well.")
        case "stand-still":
            tell(Progress(0, 0))
            sys.stdin.read()
        case "flood":
            while True:
                tell(Progress(0, 0))
        case "babble":
            print("hello", flush=True)
            sys.stdin.read()
        case "no-bot":
            tell(Failed("A bot is not connected.", Cause.UNSEEN))
        case "no-bot-late":
            tell(Progress(0, 7))
            tell(Failed("A bot is not connected any more.", Cause.UNSEEN))
        case "environment":
            tell(Failed(" ".join(os.environ), Cause.DIED))
        case _:
            play(block, behaviour)


if __name__ == "__main__":
    main()

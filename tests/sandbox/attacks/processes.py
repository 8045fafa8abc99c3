"""Bots that multiply, do not stop, take the processors or outlive their work."""

from sandbox.box import Limits
from tests.sandbox.attacks.attack import Attack, Bare

BRIEF = Limits(cpu_s=0.5)
BURIED = Bare("the launcher gets them as children, and kills all of the user id")
KILLED = r"used 0\.[5-9]\d s of processor time; the limit is 0.5 s"

ATTACKS = [
    Attack("fork bomb", "RLIMIT_NPROC, 32, set inside the cell: EAGAIN", """
        children = 0
        while True:
            try:
                if os.fork() == 0:
                    signal.pause()
                children += 1
            except OSError as error:
                print(errno.errorcode[error.errno], "held" if 28 <= children < 32 else "REACHED", children)
                break
        """, says="EAGAIN held"),
    Attack("children that nobody buries", "RLIMIT_NPROC: EAGAIN", """
        children = 0
        try:
            while True:
                if os.fork() == 0: os._exit(0)
                children += 1
        except OSError as error:
            print(errno.errorcode[error.errno], "held" if 28 <= children < 32 else "REACHED", children)
        """, says="EAGAIN held"),
    Attack("thread bomb", "RLIMIT_NPROC", """
        import threading
        threading.stack_size(65536)
        begun = 0
        try:
            while True:
                threading.Thread(target=signal.pause, daemon=True).start()
                begun += 1
        except RuntimeError as error:
            print("held" if 28 <= begun < 32 else "REACHED", begun, error, flush=True)
            os._exit(0)
        """, says="held"),
    Attack("countless timers", "RLIMIT_SIGPENDING, 1024: EAGAIN", """
        made, timer = 0, ctypes.c_int()
        while (said := call("timer_create", 1, None, ctypes.byref(timer))) == "REACHED" and made < 5_000: made += 1
        print(made, said)
        """, says="1024 EAGAIN"),
    Attack("raising its limits", "no capability: EPERM", """
        for number in (0, 1, 2, 4, 6, 7, 8, 11, 12):
            print(number, call("prlimit64", 0, number, (ctypes.c_ulong * 2)(2**64 - 1, 2**64 - 1), None))
        """, says=r"(\d+ EPERM\n){9}"),
    Attack("busy processors", "the watch, over the whole tree", """
        for _ in range(3): os.fork()
        while True: pass
        """, reason=KILLED, limits=BRIEF, grace_ms=20_000),
    Attack("busy processors by children that nobody waits for", "the watch", """
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            if os.fork() == 0:
                until = time.monotonic() + 0.15
                while time.monotonic() < until: pass
                os._exit(0)
            time.sleep(0.1)
        """, reason=KILLED, limits=BRIEF, grace_ms=20_000),
    Attack("busy while it waits for its turn", "the watch: its total is bounded, whosever turn it is", """
        import threading
        def burn():
            while True: pass
        threading.Thread(target=burn, daemon=True).start()
        seat = socket.socket(socket.AF_UNIX)
        seat.connect(SEAT + "/seat.sock")
        print("waits", flush=True)
        seat.recv(1)
        """, says="waits", reason=KILLED, limits=BRIEF, grace_ms=20_000),
    Attack("taking more of the processors", "the filter: EPERM", """
        print(call("sched_setaffinity", 0, 8, b"\\1" + bytes(7)), call("sched_setscheduler", 0, 1, b"\\1\\0\\0\\0"),
              call("ioprio_set", 1, 0, 0), attempt(os.nice, -5))
        """, says="EPERM EPERM EPERM E(PERM|ACCES)"),
    Attack("ignoring signals", "SIGKILL when its time is over", """
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        print("deaf", flush=True)
        time.sleep(60)
        """, says="deaf", reason="was stopped: it still ran 2000 ms after", grace_ms=2_000),
    Attack("daemons", "the process namespace ends with its first process", """
        for _ in range(5):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.closerange(0, 64)
                    signal.signal(signal.SIGHUP, signal.SIG_IGN)
                    time.sleep(60)
                os._exit(0)
        print("left five behind")
        """, says="left five behind", nons=BURIED),
    Attack("daemons that hold the output open", "the process namespace ends with its first process", """
        if os.fork() == 0:
            time.sleep(60)
        print("left one behind")
        """, says="left one behind", nons=BURIED),
    Attack("killing everything", "the process namespace: there is nobody else", """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for pid in (1, os.getppid(), -1, int(os.environ["VICTIM_PID"])): attempt(os.kill, pid, signal.SIGTERM)
        for pid in (1, os.getppid(), int(os.environ["VICTIM_PID"])): attempt(os.kill, pid, signal.SIGKILL)
        print("alive")
        """, says="alive", nons=Bare("Landlock: signals end at the cell")),
    Attack("a flood of output", "the keeper, at the first look after 2 MiB", """
        while True: os.write(1, b"flood" * 10_000)
        """, says="flood", reason="wrote 3 MiB of output; the limit is 2 MiB"),
]  # fmt: skip

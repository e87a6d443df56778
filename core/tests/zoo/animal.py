"""A zoo of badly behaved agents: `python animal.py NAME MARKER [ARGUMENT]`.

MARKER is only there to be found on command lines.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

MARKER = sys.argv[2]
ARGUMENT = sys.argv[3] if len(sys.argv) > 3 else ""
SLEEPER = [sys.executable, "-S", "-c", "import sys, time; time.sleep(300)", MARKER]
DEAF = [sys.executable, "-S", __file__, "ignores_term", MARKER]


def start_nowhere(command: list[str], *, own_session: bool = False) -> None:
    """Start `command` without streams."""
    null = subprocess.DEVNULL
    subprocess.Popen(command, stdin=null, stdout=null, stderr=null, start_new_session=own_session)


def daemon(command: list[str], env: dict[str, str] | None = None, pause: float = 0.0) -> None:
    """Start `command` as a good daemon does: two forks, a session of its own, no folder, no streams, no environment."""
    if os.fork() == 0:
        os.setsid()
        time.sleep(pause)
        if os.fork() == 0:
            os.chdir("/")
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
            os.execve(command[0], command, {} if env is None else env)
        os._exit(0)


def forks() -> None:
    subprocess.Popen(SLEEPER)
    print("forked", flush=True)


def double_forks() -> None:
    subprocess.Popen(["/bin/sh", "-c", 'exec "$@" &', "sh", *SLEEPER]).wait()


def own_session() -> None:
    start_nowhere(SLEEPER, own_session=True)


def own_session_slowly() -> None:
    """Lives long enough to be seen beside its child."""
    own_session()
    time.sleep(0.6)


def scrubs() -> None:
    daemon(SLEEPER)
    os.wait()


def scrubs_slowly() -> None:
    """Lives long enough as a descendant to be seen, then hides."""
    daemon(SLEEPER, pause=0.6)
    os.wait()


def hides_and_returns() -> None:
    daemon(SLEEPER)
    os.wait()
    time.sleep(float(ARGUMENT))


def hides_and_prints() -> None:
    daemon(SLEEPER)
    os.wait()
    hangs()


def leaves_a_deaf_child() -> None:
    child = subprocess.Popen(DEAF, stdout=subprocess.PIPE, start_new_session=True)
    assert child.stdout is not None
    child.stdout.readline()


def many_children() -> None:
    for _ in range(20):
        daemon(SLEEPER)
        start_nowhere(SLEEPER)


def respawns() -> None:
    """A watchdog: whenever its child dies, it starts another one."""
    script = "import subprocess, sys\nwhile True: subprocess.run(sys.argv[1:])"
    start_nowhere([sys.executable, "-S", "-c", script, *SLEEPER], own_session=True)
    time.sleep(0.3)


def ignores_term() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("here", flush=True)
    time.sleep(300)


def tidies_up_on_term() -> None:
    def tidy(*_: object) -> None:
        print("tidied", flush=True)
        sys.exit(0)

    signal.signal(signal.SIGTERM, tidy)
    print("here", flush=True)
    time.sleep(300)


def closes_stdout() -> None:
    print("before", flush=True)
    os.close(1)
    os.close(2)
    time.sleep(0.2)


def floods_and_exits() -> None:
    block = b"x" * 99 + b"\n"
    os.write(1, block * 60_000)
    os._exit(0)


def floods_without_end() -> None:
    block = b"y" * 99 + b"\n"
    while True:
        os.write(int(ARGUMENT or "1"), block * 1000)


def floods_with_a_line_without_end() -> None:
    while True:
        os.write(1, b"z" * 100_000)


def writes_after_exit() -> None:
    if os.fork() == 0:
        time.sleep(0.3)
        os.write(1, b"too late\n")
        os._exit(0)
    print("in time", flush=True)


def invalid_utf8() -> None:
    os.write(1, b"good\n\xff\xfe bad \xc3\n\xe2\x82\nnul\0in\0it\n\xed\xa0\x80\r\n\n")


def one_long_line() -> None:
    os.write(1, b"a" * 5_000_000 + b"\nend\n")


def no_final_newline() -> None:
    os.write(1, b"one\ntwo")
    os.write(2, b"three")


def hangs() -> None:
    print("hanging", flush=True)
    time.sleep(300)


def exits_three() -> None:
    sys.exit(3)


def kills_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stops_itself() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def reads_nothing() -> None:
    print("did not look", flush=True)


def counts_stdin() -> None:
    print(len(sys.stdin.buffer.read()), flush=True)


def slow_lines() -> None:
    for number in range(5):
        print(number, flush=True)
        time.sleep(0.1)


def reopens_its_streams() -> None:
    """What `echo x > /dev/stdout` does: opens the file anew, to be cut."""
    print("first", flush=True)
    try:
        with Path("/dev/stdout").open("w") as again:
            again.write("second\n")
    except OSError:
        print("refused", flush=True)


def prints_environment() -> None:
    for name, value in sorted(os.environ.items()):
        print(f"{name}={value}")


def vanishing_leader() -> None:
    """The thread that leads the process ends; another one goes on, writes, and ends the process."""
    import threading

    def go_on() -> None:
        time.sleep(0.2)
        os.write(1, b"went on\n")
        os._exit(7)

    threading.Thread(target=go_on).start()
    import ctypes

    ctypes.CDLL(None).syscall(60, 0)  # exit of this thread only


globals()[sys.argv[1]]()

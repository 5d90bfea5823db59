"""End a hook process in time, whatever it waits for.

A client that waits for its hook keeps a person waiting, and some then treat the hook as broken. A
timer interrupts everything, also regular expressions, and then writes the late reply. The JSON
scanner is not interrupted, nor, on Windows, where a thread does it, are regular expressions; limits
on input sizes keep these short.
"""

from __future__ import annotations

# `signal` takes as long to import as a third of a prompt.
import _signal as signals  # type: ignore[import-not-found]
import os
import time
from _thread import start_new_thread

from synapse_ls.workspace.regular_files import read_beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any, Final

# Less than every client gives its hooks as we register them (10 s).
SECONDS: Final = 8.0

# Events for which some clients wait less: Codex allows three seconds.
SHORTER: Final = {"SessionEnd": 2.5}

# Clients and events for which a late verdict would be none: our plugin for Cline gives up 2.5
# seconds after it began to start the hook, and the tool is used. Hooks for its other events go on:
# what they answer is lost, but the next one finds the plan that they make.
SHORTER_IN: Final = {("cline", "PreToolUse"): 2.0}

# Why a person is asked where the watchdog ends a guard that enforces.
LATE_REASON: Final = "Synapse LS: The guard could not decide in time whether the agent may do this."

MOST_DELAYED: Final = 0.2  # seconds for which a module that is half loaded puts off the end
RETRY_SECONDS: Final = 0.02

_late_reply: list[tuple[Callable[[], dict[str, Any]], Callable[[], None]]] = []
# How many watches were begun and ended: one that counts no more knows it by its number.
_watches: list[int] = [0]


def watch_seconds(event: str, client: str) -> float:
    """Return after how many seconds the watchdog ends a hook that was registered for an event, by
    the client's name for it.
    """
    return SHORTER_IN.get((client, event)) or SHORTER.get(event, SECONDS)


def seconds_left(seconds: float) -> float:
    """Return how many of the ``seconds`` are left for the event that this process was started for:
    a busy machine needs some of them to start it. All are left where the process is older than
    that: it was started for something else then.
    """
    age = process_age()
    return seconds - age if age < seconds else seconds


def start_watch(answer: Callable[[dict[str, Any]], None], seconds: float) -> None:
    """Have the watchdog end this process after ``seconds``, unless `stop_watch` is called. answer:
    is called with what is to be replied then, and writes it unless a reply was written already.
    """
    _watches[0] += 1
    number = _watches[0]
    retries = int(MOST_DELAYED / RETRY_SECONDS)

    def end_process(_: object = None, frame: FrameType | None = None) -> None:
        nonlocal retries
        if number != _watches[0]:
            return
        if retries and _is_loading(frame):  # what the reply needs may be half a module
            retries -= 1
            signals.setitimer(signals.ITIMER_REAL, RETRY_SECONDS)
            return
        try:
            problem = None
            try:
                reply = _make_late_reply()
            except Exception:
                from synapse_ls.storage.bytecode_bundle import forget_half_loaded

                forget_half_loaded()  # what was interrupted does not go on
                try:
                    reply = _make_late_reply()
                except Exception as error:
                    reply, problem = {}, error
            answer(reply)
            from synapse_ls.storage.hook_log import log_error, log_line

            if problem is not None:
                log_error(problem)
            log_line(f"{__name__} the hook was ended after {seconds:.1f} s")
            record_late()
        finally:
            os._exit(0)

    if not hasattr(signals, "setitimer"):  # Windows

        def wait() -> None:
            time.sleep(seconds)
            end_process()

        start_new_thread(wait, ())
        return
    signals.signal(signals.SIGALRM, end_process)
    signals.setitimer(signals.ITIMER_REAL, seconds)


def stop_watch() -> None:
    """Take the watchdog off what is done, and have the process go on. A signal that comes later,
    while the interpreter takes itself down, would kill the process, and some clients then tell the
    person of a hook that failed.
    """
    _watches[0] += 1
    _late_reply.clear()
    if hasattr(signals, "setitimer"):
        signals.setitimer(signals.ITIMER_REAL, 0)


def prepare_late_reply(make: Callable[[], dict[str, Any]], record: Callable[[], None]) -> None:
    """Have the watchdog write what ``make`` returns, where it has to end the process: it is called
    then, in the middle of whatever is being done, and ``record`` once the reply is out.
    """
    _late_reply[:] = [(make, record)]


def _make_late_reply() -> dict[str, Any]:
    return _late_reply[0][0]() if _late_reply else {}


def record_late() -> None:
    """Record the late reply, which is out, as `prepare_late_reply` says."""
    if _late_reply:
        _late_reply[0][1]()


def _is_loading(frame: FrameType | None) -> bool:
    while frame is not None:
        code, module = frame.f_code, frame.f_globals.get("__name__")
        is_module = code.co_name == "<module>" and module != "__main__"
        if is_module or "importlib._bootstrap" in code.co_filename:
            return True
        frame = frame.f_back
    return False


_STAT_BYTES: Final = 4096
# Where a process's line in ``/proc`` has when it began, after its name (field 22 of proc(5)).
_START_FIELD: Final = 19


def process_age() -> float:
    """Return how many seconds this process has been there, as its user sees it: by the clock where
    the system says when it began (Linux, to 10 ms), else by the processor's time.
    """
    used = time.process_time()
    try:
        fields = read_beginning("/proc/self/stat", _STAT_BYTES).rpartition(b")")[2].split()
        began = int(fields[_START_FIELD]) / os.sysconf("SC_CLK_TCK")
        return max(used, time.clock_gettime(time.CLOCK_BOOTTIME) - began)
    except (OSError, ValueError, IndexError, AttributeError):
        return used

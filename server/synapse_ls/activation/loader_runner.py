"""Run the loaders of an activation in parallel, each with a time limit (ADR-001 C1, C2, C7).

A loader that is late or fails is named in the report, and what it had found by then is used. Its
thread is never joined, so it delays neither the others nor the end of the process.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from synapse_ls.formats.session_file import SessionState
from synapse_ls.storage.current_plan import CurrentPlan

LOADED = "loaded"
LATE = "late"
FAILED = "failed"

# The tier of what nothing can be done without; the others are "high" and "best effort".
CRITICAL = "critical"


class UnavailableError(Exception):
    """An UnavailableError says that a loader of an activation cannot find out what it is for; the
    text is a sentence part that says why.
    """


@dataclass(slots=True)
class LoaderSlot:
    """Where a loader of an activation puts what it finds. ``deadline``: when it has to be there, by
    ``time.monotonic``.

    What is put first counts until something better is put.
    """

    deadline: float
    value: Any = None
    notes: list[str] = field(default_factory=list)

    def put(self, value: Any) -> None:
        """Put a value that is used unless something better is put in time."""
        self.value = value

    def seconds_left(self) -> float:
        """Return the seconds that are left, 0 for none."""
        return max(0.0, self.deadline - time.monotonic())


class Loader(NamedTuple):
    """A Loader finds something out for an activation. seconds: how long the others and the user
    wait for it. load: finds out, and puts it into the slot; raises `UnavailableError` where it
    cannot.
    """

    name: str
    tier: str
    seconds: float
    load: Callable[[LoaderSlot], None]


@dataclass(frozen=True, slots=True)
class LoaderOutcome:
    """What became of a loader of an activation. ``value`` is what it had found when it was last
    looked at, or None.

    ``why``: a sentence part that says what is missing, "" for nothing. ``seconds``: how long it
    took, or was waited for. ``notes``: what else it has to say.
    """

    name: str
    tier: str
    state: str
    value: Any = None
    why: str = ""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


# Loaders of this process that nobody waits for any more: one that hangs is not started again.
_HANGING_THREADS: dict[tuple[str, str], threading.Thread] = {}


# Seconds that a loader has the interpreter to itself: threads that compete for it hold each other
# up.
_HEAD_START = 0.002


class _LoaderRun:
    def __init__(self, loader: Loader, began: float, seconds: float) -> None:
        self.loader = loader
        self.began = began
        self.slot = LoaderSlot(began + seconds)
        self.done = threading.Event()
        self.ended = 0.0
        self.error = ""
        self.thread = threading.Thread(target=self._work, name=f"load-{loader.name}", daemon=True)

    def _work(self) -> None:
        try:
            self.loader.load(self.slot)
        except UnavailableError as error:
            self.error = str(error)
        except Exception as error:  # whatever a file makes of a loader, the others go on
            self.error = f"it failed ({type(error).__name__}: {error})".replace("\n", " ")
        self.ended = time.monotonic()
        self.done.set()

    def outcome(self) -> LoaderOutcome:
        """Return what became of it by now."""
        slot, loader = self.slot, self.loader
        if self.done.is_set():
            state, why = FAILED if self.error else LOADED, self.error
            seconds = self.ended - self.began
        else:
            seconds = time.monotonic() - self.began
            state, why = LATE, f"it took longer than {seconds * 1000:.0f} ms"
        notes = tuple(slot.notes)
        return LoaderOutcome(loader.name, loader.tier, state, slot.value, why, seconds, notes)


def run_loaders(
    loaders: Sequence[Loader], budget: float, *, place: str = ""
) -> dict[str, LoaderOutcome]:
    """Run all loaders of an activation; return what they find within ``budget`` seconds, each
    within its own time.

    place: what they are about; a loader that still hangs there from before is not started.
    """
    began = time.monotonic()
    runs: list[_LoaderRun] = []
    outcomes: dict[str, LoaderOutcome] = {}
    for loader in loaders:
        key = (place, loader.name)
        if (before := _HANGING_THREADS.get(key)) is not None and before.is_alive():
            why = "it still hangs from an earlier activation"
            outcomes[loader.name] = LoaderOutcome(loader.name, loader.tier, LATE, None, why)
            continue
        _HANGING_THREADS.pop(key, None)
        run = _LoaderRun(loader, began, min(loader.seconds, budget))
        try:
            run.thread.start()
        except RuntimeError as error:
            why = f"no thread could be started ({error})"
            outcomes[loader.name] = LoaderOutcome(loader.name, loader.tier, FAILED, None, why)
            continue
        run.done.wait(_HEAD_START)
        runs.append(run)
    for run in runs:
        run.done.wait(run.slot.seconds_left())
        outcomes[run.loader.name] = run.outcome()
        if not run.done.is_set():
            _HANGING_THREADS[place, run.loader.name] = run.thread
    return {loader.name: outcomes[loader.name] for loader in loaders}


HIGH, BEST_EFFORT = "high", "best effort"
TREE_LOADER = "tree"
# Qualities of an activation: all is known, something is missing, the definition is.
FULL, PARTIAL, FALLBACK = "full", "partial", "fallback"


def read_loader_metrics(session: SessionState | None) -> dict[str, dict[str, Any]]:
    """Return the metrics of loaders that a session has kept, in order; empty where nothing is
    kept.
    """
    loaders = session.agent.loaders if session else {}
    return {str(name): loader for name, loader in loaders.items() if isinstance(loader, dict)}


def activation_report(session: SessionState | None) -> dict[str, Any] | None:
    """Return the metrics of an activation's loaders as plain values; None where the session knows
    of none.
    """
    loaders = read_loader_metrics(session)
    if session is None or not loaders:
        return None
    agent = session.agent
    return {
        "session": session.id,
        "agent": agent.id,
        "quality": agent.quality,
        "activated_at": agent.activated_at,
        "milliseconds": agent.milliseconds,
        "loaders": loader_rows(loaders),
    }


def loader_rows(metrics: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the metrics of loaders as rows."""
    fields = ("tier", "state", "milliseconds", "why")
    return [
        {"name": name, **{key: metrics_of_one.get(key) for key in fields}}
        for name, metrics_of_one in metrics.items()
    ]


def loader_metrics(outcomes: Mapping[str, LoaderOutcome]) -> dict[str, dict[str, Any]]:
    """Return the metrics of each loader, as a session keeps them."""
    return {
        name: {
            "state": outcome.state,
            "tier": outcome.tier,
            "milliseconds": round(outcome.seconds * 1000, 1),
            **({"why": outcome.why} if outcome.why else {}),
        }
        for name, outcome in outcomes.items()
    }


def tree_outcome(found: CurrentPlan, seconds: float) -> LoaderOutcome:
    """Return the metrics of the loader that reads the tree, which took so long."""
    if not found.incomplete:
        return LoaderOutcome(TREE_LOADER, HIGH, LOADED, seconds=seconds)
    listed = "; ".join(found.notes[:2])
    why = "not all of it was read in time" + (f" ({listed})" if listed else "")
    return LoaderOutcome(TREE_LOADER, HIGH, LATE, why=why, seconds=seconds)

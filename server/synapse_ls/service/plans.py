"""The plan of a tree: from the cache while it holds, else compiled from the files."""

from __future__ import annotations

from time import monotonic, process_time

from synapse_ls.service import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Final

    from synapse_ls.engine.plan import Plan
    from synapse_ls.service.cache import Cached

PATIENCE: Final = 0.3  # seconds that a prompt waits for sources that have changed
READING: Final = 0.6  # the part of them in which files are read; the rest is for what follows
LEAST: Final = 0.5  # the part that reading gets however long it took to begin
BUSY: Final = 3  # seconds in which a machine that has more to do does one second of work


class Planned:
    """A plan in use; ``cached`` is None where it was compiled just now, so that it is current.

    incomplete: some sources were late; ``finish`` makes the whole plan without anybody waiting.
    """

    __slots__ = ("_patience", "_profile", "cached", "incomplete", "notes", "plan")

    def __init__(
        self,
        plan: Plan,
        cached: Cached | None,
        notes: tuple[str, ...],
        *,
        profile: str,
        patience: float | None,
        incomplete: bool = False,
    ) -> None:
        self.plan = plan
        self.cached = cached
        self.notes = notes
        self.incomplete = incomplete
        self._profile = profile
        self._patience = patience

    @property
    def hurried(self) -> bool:
        """Whether a prompt waits for it."""
        return self._patience is not None

    def current_for(self, files: Iterable[str]) -> bool:
        """Whether the plan says what these rule files say now."""
        return self.cached is None or self.cached.holds_for(files)

    def whole(self) -> Planned:
        """The plan that says of every rule file what it says now, also of those out of the block.

        A stat for each file: for who asks about the whole tree, not for a prompt.
        """
        same = self.cached is None or self.cached.holds_for_all()
        return self if same else self.again()

    def again(self) -> Planned:
        """The same, compiled from the files as they are now."""
        return _compiled(self.plan.root, self._profile, self.plan, self._patience)

    def finish(self) -> None:
        """Have an incomplete plan made whole by a process of its own."""
        from synapse_ls.service.detached import start

        start(self.plan.root, self._profile)


def planned(root: str, profile: str = "", *, patience: float | None = None) -> Planned:
    """The plan of the tree at ``root``.

    profile: a profile's name in place of the one the configuration names. patience: seconds to
    wait for sources that have changed, None for as long as it takes. Raises ServiceError where
    there is no profile of that name.
    """
    cached = cache.read(root, profile)
    if cached is not None and cached.holds():
        return Planned(cached.plan, cached, (), profile=profile, patience=patience)
    return _compiled(root, profile, cached.plan if cached else None, patience)


def _compiled(root: str, profile: str, before: Plan | None, patience: float | None) -> Planned:
    clock = _watch()
    from synapse_ls.service.building import build, find_libraries

    find_libraries()
    deadline = None
    if patience is not None:
        deadline = max(patience * LEAST, patience * READING - clock())
    names = cache.names_in(root)
    built = build(root, profile, before=before, deadline=deadline, clock=clock)
    if not built.incomplete:
        cache.write(built.plan, profile, built.always, built.content, names)
    return Planned(
        built.plan,
        None,
        built.notes,
        profile=profile,
        patience=patience,
        incomplete=built.incomplete,
    )


def _watch() -> Callable[[], float]:
    """Seconds of work from now on; on a busy machine less than those that go by.

    Rules that come later are worse than a prompt that takes somewhat longer. What waits for a slow disk
    does no work, so the time that goes by counts as well.
    """
    began, worked = monotonic(), process_time()
    return lambda: max(process_time() - worked, (monotonic() - began) / BUSY)

"""The plan of a tree: from the cache while it holds, else compiled from the files."""

from __future__ import annotations

from synapse_ls.service import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.plan import Plan
    from synapse_ls.service.cache import Cached


class Planned:
    """A plan in use; ``cached`` is None where it was compiled just now, so that it is current."""

    __slots__ = ("cached", "notes", "plan")

    def __init__(self, plan: Plan, cached: Cached | None, notes: tuple[str, ...]) -> None:
        self.plan = plan
        self.cached = cached
        self.notes = notes

    def current_for(self, files: Iterable[str]) -> bool:
        """Whether the plan says what these rule files say now."""
        return self.cached is None or self.cached.holds_for(files)


def planned(root: str, profile: str = "", *, fresh: bool = False) -> Planned:
    """The plan of the tree at ``root``; with ``fresh`` it is compiled in any case.

    profile: a profile's name in place of the one the configuration names. Raises ServiceError
    where there is no profile of that name.
    """
    if not fresh:
        cached = cache.read(root, profile)
        if cached is not None and cached.holds():
            return Planned(cached.plan, cached, ())
    from synapse_ls.service.building import build

    built = build(root, profile)
    if not built.incomplete:
        cache.write(built.plan, profile, built.always, built.content)
    return Planned(built.plan, None, built.notes)

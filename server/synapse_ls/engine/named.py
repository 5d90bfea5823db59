"""Finding the files that somebody means by a name."""

from __future__ import annotations

from synapse_ls.engine.plan import slug_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from synapse_ls.engine.plan import Plan


def named_path(paths: Mapping[str, str], written: str) -> str:
    """The path that ``written`` means: itself, a file's name, or an id that a name begins with."""
    if not written:
        return ""
    bare = written.strip("`\"'").removeprefix("./")
    if bare in paths.values():
        return bare
    if bare in paths:
        return paths[bare]
    wanted = slug_of(bare.removesuffix(".md"))
    if not wanted:
        return ""
    found = [
        (len(name), path)
        for name, path in paths.items()
        if (slug := slug_of(name)) == wanted
        or slug.startswith((f"{wanted}_", f"story_{wanted}_"))
        or slug == f"story_{wanted}"
    ]
    return min(found)[1] if found else ""


def task_paths(plan: Plan, task: str, story: str) -> tuple[str, str]:
    """The files of ``task`` and of ``story`` (an id, a file name or a path), "" for none.

    What is no task's name may be a story's.
    """
    path = named_path(plan.tasks, task)
    story_path = named_path(plan.stories, story)
    if not path and not story_path and task:
        story_path = named_path(plan.stories, task)
    return path, story_path

"""The active task and its story, read when a prompt needs them and remembered by stat."""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.named import task_paths
from synapse_ls.engine.task import TaskFacts, unknown
from synapse_ls.service import cache
from synapse_ls.workspace.stamps import take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan

REMEMBERED = 32


def task_facts(plan: Plan, task: str, story: str) -> TaskFacts:
    """What the tree knows of ``task`` (an id, a file name or a path) and ``story`` (likewise)."""
    path, story_path = task_paths(plan, task, story)
    if not path and not story_path:
        return unknown(task, story, free=plan.settings.get("free_tasks", False))
    # A story that the task names is looked for among all of them.
    key = text_hash("\0".join((task, story, path, story_path, *plan.stories)))
    memo = cache.read_memo(plan.root, "tasks")
    known = memo.get(key)
    if known is not None and all(take(f"{plan.root}/{p}") == stamp for p, stamp in known[0]):
        return TaskFacts(**known[1])
    from synapse_ls.service.reading import read_task

    facts = read_task(plan.root, task, story, path, story_path, plan.stories)
    read = [p for p in (facts.path, facts.story_path) if p]
    memo.pop(key, None)
    memo[key] = ([(p, take(f"{plan.root}/{p}")) for p in read], facts.fields())
    cache.write_memo(plan.root, "tasks", dict(list(memo.items())[-REMEMBERED:]))
    return facts

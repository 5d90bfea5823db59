"""Load the facts of the active task and its story, when a prompt needs them, cached by stat."""

from synapse_ls.engine.active_task import TaskFacts, task_paths, unknown_task_facts
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.storage import plan_cache
from synapse_ls.text.digest import hash_text
from synapse_ls.workspace.regular_files import take_stamp

MAX_TASKS = 32


def load_task_facts(plan: Plan, task: str, story: str) -> TaskFacts:
    """Return what the tree knows of ``task`` (an id, a file name or a path) and ``story``
    (likewise).
    """
    path, story_path = task_paths(plan, task, story)
    if not path and not story_path:
        return unknown_task_facts(task, story, free=plan.settings.get("free_tasks", False))
    # A story that the task names is looked for among all of them.
    key = hash_text("\0".join((task, story, path, story_path, *plan.stories)))
    memo = plan_cache.read_memo(plan.root, "tasks")
    row = memo.get(key)
    if row is not None and all(take_stamp(f"{plan.root}/{p}") == stamp for p, stamp in row[0]):
        return TaskFacts(**row[1])
    from synapse_ls.storage.task_reader import read_task

    facts = read_task(plan.root, task, story, path, story_path, plan.stories)
    read = [p for p in (facts.path, facts.story_path) if p]
    memo.pop(key, None)
    memo[key] = ([(p, take_stamp(f"{plan.root}/{p}")) for p in read], vars(facts))
    plan_cache.write_memo(plan.root, "tasks", dict(list(memo.items())[-MAX_TASKS:]))
    return facts

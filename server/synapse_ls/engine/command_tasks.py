"""This module finds the task that a star-command of a prompt takes up, and the story that it names."""

from __future__ import annotations

from synapse_ls.engine.story_names import NamedStory, find_named_story

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation
    from synapse_ls.engine.spoken_work import SpokenWork
    from synapse_ls.engine.user_prompt import StarCommand

MAX_NAME_LENGTH = 60  # code points of a word that a remark repeats


class TakenTask:
    """A TakenTask is a task that a command takes up. story: path or id, "" for none. remarks: what
    the agent and the person should know.
    """

    __slots__ = ("remarks", "story", "task")

    def __init__(self, task: str, story: str, remarks: tuple[str, ...]) -> None:
        self.task = task
        self.story = story
        self.remarks = remarks


def task_of_commands(plan: Plan, found: Situation, said: SpokenWork) -> TakenTask | None:
    """Returns what the first command of the prompt that takes up a task does; None for none."""
    for command in found.prompt.commands:
        task = _task_of_command(plan, found.agent, command.name)
        if task:
            named = find_named_story(plan.stories, command.argument)
            if named.path:
                return TakenTask(task, named.path, ())
            if named.written:
                return TakenTask(task, "", (_unknown_remark(named, command),))
            return TakenTask(task, _current_story(found, said), ())
    return None


def _task_of_command(plan: Plan, agent: str, name: str) -> str:
    """Returns the task that the agent's command ``name`` takes up: one of the configuration, or one
    that its definition binds to a task; "" for none.
    """
    if name in plan.settings["develop"]:
        names = (
            name,
            f"{agent}-{name}",
            f"{name}-story",
            f"{agent}-{name}-story",
            *plan.settings["develop_tasks"],
        )
        return next((task for task in names if task in plan.tasks), name)
    if agent:
        return plan.command_tasks.get(agent, {}).get(name, "")
    bound = {own[name] for own in plan.command_tasks.values() if name in own}
    return bound.pop() if len(bound) == 1 else ""


def _current_story(found: Situation, said: SpokenWork) -> str:
    """Returns the story that the session is on: of the agent's task, of the last one, of the state
    file.
    """
    tasks = (said.task_of(found.agent), said.task)
    own = next((task.story for task in tasks if task is not None and task.story), "")
    return own or (said.state.story if said.state else "")


def _unknown_remark(named: NamedStory, command: StarCommand) -> str:
    written = named.written[:MAX_NAME_LENGTH]
    if named.rivals:
        several = ", ".join(sorted(named.rivals)[:3])
        return (
            f"Several stories answer to “{written}” ({several}): *{command.name} PATH says which."
        )
    return f"No story answers to “{written}”, so none is told with *{command.name}."

"""The active task and story: facts about them, and which ones a prompt or session names.

The format is that of ADR-001, "Task Context Injection Format". A story matches its id, name or path
in any letter case, with any separators, and with or without the word ``story``.
"""

from __future__ import annotations

from synapse_ls.engine.word_matching import slug_of
from synapse_ls.text.phrases import quotation
from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation, SpokenWork

    Parts = tuple[str, ...]
    Check = tuple[str, bool]
    File = tuple[str, str]

MAX_WORDS: Final = 60  # words of an argument that are looked at
# Words with which a command is told how to go about it, and which name nothing.
MODES: Final = frozenset(
    ("yolo", "interactive", "preflight", "pre-flight", "auto", "ask", "explore")
)

_STORY_WORDS: Final = frozenset(("story", "stories", "historia", "história"))
_MARKS: Final = "`\"'“”‘’()[]{}<>,;:!?"


class NamedStory(Record):
    """The story that an argument names.

    path: the file of the story, "" for none. written: the word that names it, or what seems to name
    one that there is not. rivals: the files that answer to ``written`` where several do.
    """

    path: str = ""
    written: str = ""
    rivals: tuple[str, ...] = ()


def find_story_path(stories: Mapping[str, str], written: str) -> str:
    """Return the file of the story that ``written`` (an id, a file's name or a path) means, "" for
    none or several. ``stories``: name -> path.
    """
    matching_paths = _matching_paths(stories, written)
    return matching_paths[0] if len(matching_paths) == 1 else ""


def find_named_story(stories: Mapping[str, str], argument: str) -> NamedStory:
    """Return the first story that the words of ``argument`` name."""
    words = [
        word
        for word in argument.split()[:MAX_WORDS]
        if (mode := word.strip(_MARKS).lower()) and mode not in MODES and mode[:2] != "--"
    ]
    # What seems to name a story: the word with a digit, else all words where one of them is
    # `story`.
    bare = [word.strip(_MARKS) for word in words]
    with_digit = next((word for word in bare if any(c.isdigit() for c in word)), "")
    speaks = any(word.lower() in _STORY_WORDS for word in bare)
    unknown = NamedStory(written=with_digit or (" ".join(bare) if speaks else ""))
    for count in (1, 2, 3):
        for start in range(len(words) - count + 1):
            written = " ".join(words[start : start + count])
            matching_paths = _matching_paths(stories, written)
            if len(matching_paths) == 1:
                return NamedStory(matching_paths[0], written)
            if matching_paths and not unknown.rivals:
                unknown = NamedStory("", written.strip(_MARKS), matching_paths)
    return unknown


def story_id_of(path: str) -> str:
    """Return what a story that says no id of its own is called by its file: ``STORY-42`` of
    ``STORY-42-login.md``, else the file's name.
    """
    stem = path.rpartition("/")[2].removesuffix(".md")
    end = 0
    for at, letter in enumerate(stem):
        if letter.isdigit():
            end = at + 1
        elif end and letter not in "._-":
            break
        elif letter in " _" and not end:
            return stem
    return stem[:end] if end else stem


def _matching_paths(stories: Mapping[str, str], written: str) -> tuple[str, ...]:
    bare = written.strip(_MARKS).removeprefix("./")
    if "/" in bare:
        ending = bare if bare.endswith(".md") else f"{bare}.md"
        return tuple(p for p in stories.values() if p == ending or p.endswith(f"/{ending}"))
    if not (wanted := _name_parts(bare)):
        return ()
    exact: list[str] = []
    begun: list[str] = []
    for name, path in stories.items():
        if (parts := _name_parts(name.rpartition("/")[2])) == wanted:
            exact.append(path)
        elif (
            # The id that a name begins with: `1.2` of `1.2-login`, not of `1.2.3`, and never a
            # word of a title.
            parts[: len(wanted)] == wanted
            and wanted[-1].isdigit()
            and not parts[len(wanted)].isdigit()
        ):
            begun.append(path)
    return tuple(exact or begun)


def _name_parts(name: str) -> Parts:
    """Return a name as it is compared: its words in lower case, without ``story`` at either end."""
    parts = "".join(c if c.isalnum() else " " for c in name.casefold().removesuffix(".md")).split()
    while parts and parts[0] in _STORY_WORDS:
        del parts[0]
    while len(parts) > 1 and parts[-1] in _STORY_WORDS:
        del parts[-1]
    return tuple(parts)


def find_named_path(paths: Mapping[str, str], written: str) -> str:
    """Return the path of the task or story whose facts are wanted, by what is ``written``: itself,
    or a file's name in any spelling; "" for none.
    """
    if not written:
        return ""
    bare = written.strip("`\"'").removeprefix("./")
    if bare in paths.values():
        return bare
    if bare in paths:
        return paths[bare]
    wanted = slug_of(bare.removesuffix(".md"))
    return next((path for name, path in paths.items() if slug_of(name) == wanted != ""), "")


def task_paths(plan: Plan, task: str, story: str) -> tuple[str, str]:
    """Return the files that have the facts of ``task`` and of ``story`` (an id, a file name or a
    path), "" for none.

    What is no task's name may be a story's.
    """
    path = find_named_path(plan.tasks, task)
    story_path = find_story_path(plan.stories, story)
    if not path and not story_path and task:
        story_path = find_story_path(plan.stories, task)
    return path, story_path


class TaskFacts(Record):
    """What is known of one task.

    ``preconditions``, ``postconditions`` and ``criteria`` are (text, ticked); ``files`` are (path,
    note). own_criteria, own_files: those of the task's file beside those of its story. path and
    story_path: where it was read from, "" where there is no such file. executor: one of Agente,
    Worker, Humano, Clone, or "". responsible: who the task says does it, assigned: who the story
    does, "" for nobody. story_state: what the story has come to ("done", …; `StoryDocument`).
    problem: why the context is incomplete, or "".
    """

    id: str
    story: str = ""
    executor: str = ""
    responsible: str = ""
    assigned: str = ""
    story_state: str = ""
    preconditions: tuple[Check, ...] = ()
    postconditions: tuple[Check, ...] = ()
    criteria: tuple[Check, ...] = ()
    own_criteria: tuple[Check, ...] = ()
    files: tuple[File, ...] = ()
    own_files: tuple[File, ...] = ()
    path: str = ""
    story_path: str = ""
    problem: str = ""
    title: str = ""

    @property
    def all_criteria(self) -> tuple[Check, ...]:
        """The criteria of the story, and those of the task's own file."""
        return (*self.criteria, *self.own_criteria)


def unknown_task_facts(task: str, story: str, *, free: bool = False) -> TaskFacts:
    """Return the facts of a task that no file of the workspace is called after; ``free`` ones need
    none.
    """
    missing = "no file of the workspace is called so" if task and not free else ""
    return TaskFacts(task or story, story=story, problem=missing)


MAX_NAME_LENGTH = 60  # code points of a word that a remark repeats


def task_of_commands(
    plan: Plan, situation: Situation, work: SpokenWork
) -> tuple[str, str, str] | None:
    """Return the task that the first command of the prompt which does so takes up, the path or id
    of its story, "" for none, and what the agent and the person should know; None for no task.
    """
    for command in situation.prompt.commands:
        # The task that the agent's command `name` takes up: one of the configuration, or one that
        # its definition binds to a task.
        agent, name = situation.agent, command.name
        if name in plan.settings["develop"]:
            names = (
                name,
                f"{agent}-{name}",
                f"{name}-story",
                f"{agent}-{name}-story",
                *plan.settings["develop_tasks"],
            )
            task = next((task for task in names if task in plan.tasks), name)
        elif agent:
            task = plan.command_tasks.get(agent, {}).get(name, "")
        else:
            bound = {bindings[name] for bindings in plan.command_tasks.values() if name in bindings}
            task = bound.pop() if len(bound) == 1 else ""
        if task:
            named = find_named_story(plan.stories, command.argument)
            if named.path:
                return task, named.path, ""
            written, name = named.written[:MAX_NAME_LENGTH], command.name
            if named.rivals:
                several = ", ".join(sorted(named.rivals)[:3])
                remark = (
                    f"Several stories answer to {quotation(written)} ({several}): "
                    f"*{name} PATH says which."
                )
                return task, "", remark
            if named.written:
                return (
                    task,
                    "",
                    f"No story answers to {quotation(written)}, so none is injected with *{name}.",
                )
            # The story that the session is on: of the agent's task, of the last one, of the state
            # file.
            tasks = (work.task_of(situation.agent), work.task)
            own_story = next((task.story for task in tasks if task is not None and task.story), "")
            return task, own_story or (work.state.story if work.state else ""), ""
    return None

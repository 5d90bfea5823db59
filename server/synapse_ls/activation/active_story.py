"""Load the active story: the one that the session names, else one whose status is in progress."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from synapse_ls.activation.activation_files import TreeFiles
from synapse_ls.activation.loader_runner import LoaderSlot, UnavailableError
from synapse_ls.engine import active_task, word_matching
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.story_file import parse
from synapse_ls.workspace.naming_conventions import file_stem
from synapse_ls.workspace.regular_files import take_stamp

# Stories that are looked at, those that changed last: one that is worked on is among them.
MOST_EXAMINED = 60

# The states of a story that somebody is at work on, those that count first.
ACTIVE_STATES = ("in_progress", "in_review", "blocked")


@dataclass(frozen=True, slots=True)
class Story:
    """The active story as a greeting needs it. ``state``: draft, ready, in_progress, in_review,
    done, blocked or "".

    ``why``: how it is known that it is this one. ``others``: how many more are in the same state.
    """

    id: str
    title: str = ""
    state: str = ""
    path: str = ""
    epic: str = ""
    why: str = ""
    others: int = 0


def load_story(
    files: TreeFiles,
    paths_by_name: Mapping[str, str],
    story: str,
    story_path: str,
    find_branch: Callable[[], str],
    slot: LoaderSlot,
) -> None:
    """Load the story that the greeted agent works on. paths_by_name: name -> path of the stories;
    story: the one that the session or the task names, with its file; find_branch: finds the branch
    that is checked out, which only says which one is meant of those under way.
    """
    if story or story_path:
        path = story_path or active_task.find_story_path(paths_by_name, story)
        why = "it is the active one"
        slot.put(Story(neutralise_text(story) or file_stem(path), path=path, why=why))
        active = _read_story(files, path) if path else None
        if active is not None:
            slot.put(replace(active, why=why))
        elif not path:
            slot.notes.append(f"no file is called after the story {neutralise_text(story)}")
        return
    stories: dict[str, list[Story]] = {state: [] for state in ACTIVE_STATES}
    stamps = ((take_stamp(files.full_path(path)), path) for path in tuple(paths_by_name.values()))
    for _, path in sorted((-stamp[0], path) for stamp, path in stamps if stamp)[:MOST_EXAMINED]:
        if not slot.seconds_left():
            raise UnavailableError("there was no time to look at all stories")
        try:
            candidate = _read_story(files, path)
        except UnavailableError as error:
            slot.notes.append(str(error))
            continue
        if candidate is not None and candidate.state in stories:
            stories[candidate.state].append(candidate)
    if not (candidates := next(filter(None, stories.values()), [])):
        return
    # The one that the branch is called after, else the one that changed last.
    branch = find_branch()
    words = f"_{word_matching.slug_of(branch)}_"
    for candidate in candidates:
        slugs = filter(None, map(word_matching.slug_of, (candidate.id, file_stem(candidate.path))))
        if branch and any(f"_{slug}_" in words for slug in slugs):
            why = "the branch is called after it"
            break
    else:
        candidate = candidates[0]
        why = f"it is {candidate.state.replace('_', ' ')}"
        if len(candidates) > 1:
            why += " and changed last"
    slot.put(replace(candidate, why=why, others=len(candidates) - 1))


def story_state(files: TreeFiles, paths_by_name: Mapping[str, str], story: str) -> str:
    """Return the state of a story, by its name or id, that may be the active one; "" where nothing
    says it. paths_by_name: name -> path.
    """
    path = active_task.find_story_path(paths_by_name, story)
    try:
        named_story = _read_story(files, path) if path else None
    except UnavailableError:
        return ""
    return named_story.state if named_story else ""


def _read_story(files: TreeFiles, path: str) -> Story | None:
    def parse_story(text: str) -> Story:
        document = parse(text).document
        return Story(
            neutralise_text(document.id) or neutralise_text(file_stem(path)),
            neutralise_text(document.title)[:200],
            document.state,
            path,
            neutralise_text(document.epic)[:80],
        )

    return files.parse_file("story", path, parse_story, Story)

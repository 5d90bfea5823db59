"""Recall memories for a prompt. Imported only in a tree that has any."""

import time
from collections.abc import Collection, Mapping

from synapse_ls.engine.compiled_plan import Plan, load_function
from synapse_ls.engine.memory_hints import Disclosure, MemoryOutcome
from synapse_ls.engine.situation import Request, Situation
from synapse_ls.memory import hint_selection
from synapse_ls.memory.attention_score import ScoreConstants
from synapse_ls.memory.memory_index import NO_MATCH, make_query, refresh_index
from synapse_ls.memory.memory_paths import PERSON, add_uses, read_uses
from synapse_ls.text.lazy_import import load_module

DAY_SECONDS = 86_400


def choose_memories(
    plan: Plan,
    request: Request,
    situation: Situation,
    disclosure: Disclosure,
    memories: MemoryOutcome,
    *,
    held: Mapping[str, str | None],
    noted: Collection[str] = (),
    hurry: bool,
) -> hint_selection.HintSelection:
    """Return which memories are recalled for a prompt. held: identity -> file of what the window
    holds, None where that is not known. noted: the ids of memories that came into it in other words
    are among these. See `fill_memories`.
    """
    settings = plan.settings["memory"]
    agent = situation.agent
    uses = read_uses(plan.root)
    # Return the words of the prompt, and of what is at work.
    facts = situation.task_facts
    query_names = [situation.task, situation.story, *situation.files]
    if facts is not None:
        query_names += [path for path, _ in facts.files]
    query = make_query(request.prompt, filter(None, query_names))
    files = None if None in held.values() else set(filter(None, held.values()))
    least = settings.get("relevant", hint_selection.LEAST_RELEVANCE)
    deadline = time.monotonic() + settings["patience_ms"] / 1000 if hurry else None
    index = refresh_index(plan.root, deadline=deadline, chati=plan.profile.source == "chati")
    # Who waits wants what is told alone; who asks wants to know why the others are not.
    # What stands in the window is looked at whoever is at work now: another agent's is none of
    # what is told, and as true as before.
    reader = PERSON if held else agent
    candidates = [
        hint_selection.Candidate(add_uses(record, uses), match or NO_MATCH)
        for record, match in index.find_memories(query, reader, files if hurry else None, least)
    ]
    memories.notes += index.notes
    memories.unread = index.notes
    memories.is_complete = index.complete
    if not index.complete:
        memories.notes.append(
            "memories changed and could not all be read in time: what was known before counts"
        )
    names = tuple(settings.get("providers", ()))
    due: tuple[str, ...] = ()
    if names:
        other_answers = load_module("synapse_ls.memory.memory_providers").cached_answers(
            plan.root, names, agent, request.prompt
        )
        candidates += other_answers.candidates
        memories.notes += other_answers.notes
        due = other_answers.due
    if due or not index.complete:
        question = load_module("synapse_ls.memory.memory_providers").RecallQuestion(
            plan.root, agent=agent, prompt=request.prompt, files=situation.files
        )
        memories.pending = (question, due)
    measure = plan.profile.memory_length
    recall_request = hint_selection.RecallRequest(
        agent=agent,
        own=disclosure.own,
        level=disclosure.level if disclosure.level != "none" else "summary",
        tokens=disclosure.tokens,
        hot_only=disclosure.hot_only,
        corrections_only=disclosure.corrections_only,
        terms=query,
        standing=frozenset(held),
        noted=frozenset(noted),
        paths=None if files is None else frozenset(files),
        today=current_day(),
        sectors=hint_selection.preferred_sectors(agent, settings.get("sectors", {})),
        constants=ScoreConstants.from_settings(settings),
        relevant=least,
        other_sector=settings.get("other_sector", hint_selection.OTHER_SECTOR_WEIGHT),
        length=load_function(measure) if measure else hint_selection.plain_length,
    )
    return hint_selection.select_hints(candidates, recall_request, brief=hurry)


def current_day() -> int:
    """Return the day on which memories are recalled, in days since 1970-01-01, in UTC: memories
    fade by the day, so that blocks hold still.
    """
    return int(time.time() // DAY_SECONDS)

"""Parse authority boundaries, rules about what an agent may do: ``BLOCKED: git push — …``.

Either a verb, a colon and a list of actions (AIOX), or a sentence: ``NEVER execute git push``,
``ONLY modify tests`` (ADR-001 E6). What follows a dash is a note. ``{D}_ALLOW_n`` and
``{D}_DENY_n`` are one action each.

A sentence may name acts without a command, "releases and tags", but only if every word of it
belongs to the act: "Release notes" is none.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from synapse_ls.formats import act_commands
from synapse_ls.formats.rule import Rule
from synapse_ls.text.finding import Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span, trim_span

ALLOWED, BLOCKED, EXCLUSIVE, REQUIRED = "allowed", "blocked", "exclusive", "required"

# Verb -> what it says. Other verbs (``DELEGATES``, ``MEDIATES``) are about others.
VERBS = {
    **dict.fromkeys(("ALLOWED", "PERMITIDO", "PERMITIDA", "ERLAUBT", "CONSENTITO"), ALLOWED),
    **dict.fromkeys(("EXKLUSIV", "EXCLUSIF", "ESCLUSIVO", "EXCLUSIVE", "EXCLUSIVO"), EXCLUSIVE),
    **dict.fromkeys(("BLOCKED", "DENIED", "FORBIDDEN", "BLOQUEADO", "PROIBIDO"), BLOCKED),
    **dict.fromkeys(("BLOCK", "DENY", "FORBID"), BLOCKED),
    "ALLOW": ALLOWED,
    **dict.fromkeys(("BLOQUEADA", "PROHIBIDO", "PROIBIDA", "VERBOTEN", "GESPERRT"), BLOCKED),
    **dict.fromkeys(("INTERDIT", "VIETATO"), BLOCKED),
    "OWNS": EXCLUSIVE,
}

# How a sentence that tells what to do begins, in upper case -> what it says.
MODALS = {
    **dict.fromkeys(("ALWAYS", "MUST", "SEMPRE", "DEVE", "SIEMPRE", "DEBE"), REQUIRED),
    **dict.fromkeys(("IMMER", "MUSS", "TOUJOURS", "DOIT"), REQUIRED),
    **dict.fromkeys(("NEVER", "MUST NOT", "MUST NEVER", "DO NOT", "NUNCA", "NÃO DEVE"), BLOCKED),
    **dict.fromkeys(("NO DEBE", "NIEMALS", "NIE", "DARF NICHT", "JAMAIS", "NE JAMAIS"), BLOCKED),
    **dict.fromkeys(("MAI", "NON DEVE"), BLOCKED),
}

_EFFECT_OF_KIND = {"allow": ALLOWED, "deny": BLOCKED}
_VERB = lazy_pattern(r"([A-Z]+):\s*")
_EXCLUSIVE_PHRASE = lazy_pattern(
    r"(?:BLOCKED for (?:all )?others?(?: agents)?:|EXCLUSIVE authority (?:for|over|to))\s+"
)
_ONLY = lazy_pattern(r"ONLY\s+(?!@)")
_MODAL = lazy_pattern(
    "|".join(sorted(MODALS, key=len, reverse=True))
    .replace(" ", r"\s")
    .join((r"(?:\*\*|__)?(", r")\b:?(?:\*\*|__)?:?\s+")),
    re.IGNORECASE,
)
_FILLER_VERB = lazy_pattern(r"(?:execute|perform|executar)\s+", re.IGNORECASE)
_PART = lazy_pattern(r"(?:[^,;/()]++|\([^()]*+\)|[()]|(?<!\s)/|/(?!\s))+")
# Code points; a longer text is prose and no action that another boundary could name.
MAX_ACTION = 200
# How many actions of one boundary are read.
MAX_ACTIONS = 100


_MARKS = "*_~\"'“”‘’ "  # what may stand before the first word of a rule in Markdown


def begins_with_modal(text: str) -> bool:
    """Return whether the sentence of a boundary begins as one that tells what to do does: Always,
    Never, Do not.
    """
    return bool(_MODAL.match(text.lstrip(_MARKS)))


class BoundaryAction(NamedTuple):
    """One action that an authority boundary is about, with its place, and the ``effect`` of the
    rule on it: allowed, blocked, exclusive or required.
    """

    effect: str
    action: Text

    @property
    def name(self) -> str:
        """The action as it is compared: without differences of case, white space and full stops."""
        return " ".join(self.action.value.casefold().split()).rstrip(".")


def boundary_actions(text: str, rule: Rule) -> Iterator[BoundaryAction]:
    """Yield the actions of an authority boundary, a rule of the file ``text``; none where it says
    nothing that can be read.
    """
    if rule.kind == "rule" and not _begins_with_effect(rule.text):
        return
    start, end = rule.text_span
    if rule.kind in _EFFECT_OF_KIND and text[start:end] == rule.text:
        dash = NOTE.search(text, start, end)
        place = trim_span(text, start, dash.start() if dash else end)
        if 0 < place.length <= MAX_ACTION:
            yield BoundaryAction(_EFFECT_OF_KIND[rule.kind], Text(place.cut(text), Span(*place)))
    if rule.kind not in ("auth", "rule") or text[start:end] != rule.text:
        return
    effect, is_list = "", False
    if rule.kind == "auth":
        if (verb := _VERB.match(text, start, end)) and verb[1] in VERBS:
            effect, start, is_list = VERBS[verb[1]], verb.end(), True
        elif alone := _EXCLUSIVE_PHRASE.match(text, start, end):
            effect, start, is_list = EXCLUSIVE, alone.end(), True
        elif only := _ONLY.match(text, start, end):
            effect, start = ALLOWED, only.end()
    if not effect:
        effect, start, is_list = _match_sentence(text, *rule.text_span)
    if not effect and rule.kind == "auth" and (dash := NOTE.search(text, *rule.text_span)):
        # "Commits are local only — never push": what is said stands behind the dash.
        effect, start, is_list = _match_sentence(text, dash.end(), end)
    if not effect:
        return
    note = NOTE.search(text, start, end)
    end = note.start() if note else end
    parts = (
        (part.span() for part in _PART.finditer(text, start, end)) if is_list else [(start, end)]
    )
    for part in islice(parts, MAX_ACTIONS):
        place = trim_span(text, *part)
        if 0 < place.length <= MAX_ACTION:
            yield BoundaryAction(effect, Text(place.cut(text), Span(*place)))


@lru_cache(maxsize=65_536)
def _begins_with_effect(text: str) -> bool:
    """Return whether the first words of a rule say what it demands; kept, since it is asked of all
    rules of a file after each key stroke.
    """
    return _MODAL.match(text) is not None


def _match_sentence(text: str, start: int, end: int) -> tuple[str, int, bool]:
    """Return the effect of a sentence, "" for none, the offset at which its actions begin, and
    whether they are a list: only a verb without a meaning of its own governs one.
    """
    if (modal := _MODAL.match(text, start, end)) is None:
        return "", 0, False
    light = _FILLER_VERB.match(text, modal.end(), end)
    return MODALS[" ".join(modal[1].upper().split())], (light or modal).end(), light is not None


_CREATING = frozenset([
    "create", "creating", "creation", "open", "opening", "opens", "submit", "submitting", "criar",
    "crear", "erstellen", "créer",
])  # fmt: skip
_MERGING = frozenset(["merge", "merges", "merging"])
_CHANGING = frozenset([
    "modify", "modifying", "modification", "edit", "editing", "update", "updating", "updates",
    "write", "writing", "change", "changing", "delete", "deleting", "deletion",
])  # fmt: skip
_PUSHING = frozenset(["push", "pushes", "pushing", "pushed"])
_COMMITTING = frozenset(["commit", "commits", "committing"])
_PUBLISHING = frozenset(["publish", "publishing", "publication"])
_REQUESTS = frozenset(["pr", "prs", "mr", "mrs", "request", "requests"])
_TAGS = frozenset(["tag", "tags", "tagging"])
_RELEASES = frozenset(["release", "releases", "releasing"])
_PACKAGES = frozenset(["package", "packages", "npm", "pypi", "registry", "registries", "crates"])
_DEPLOYING = frozenset(["deploy", "deploys", "deploying", "deployment", "deployments"])
_STORIES = frozenset(["story", "stories"])
_KNOWN = frozenset([
    "and", "or", "of", "to", "the", "a", "an", "any", "all", "new", "code", "directly", "remote",
    "remotes", "origin", "git", "github", "management", "manage", "managing", "operations",
    "pull", "version", "versions", "file", "files", "production", "staging", "environment",
    "environments",
]).union(
    *(_CREATING, _MERGING, _CHANGING, _PUSHING, _COMMITTING, _PUBLISHING, _REQUESTS, _TAGS),
    *(_RELEASES, _PACKAGES, _STORIES, _DEPLOYING),
)  # fmt: skip
_ACT_WORDS = {
    act_commands.TAG: _TAGS,
    act_commands.RELEASE: _RELEASES,
    act_commands.PUSH: _PUSHING,
    act_commands.DEPLOY: _DEPLOYING,
}
_WORD = lazy_pattern(r"[^\W_][\w-]*")
_ASIDE = lazy_pattern(r"\([^()]*\)")
_QUOTED = lazy_pattern(r"[\"“`]([^\"“”`]{1,80})[\"”`]")
_LISTED = lazy_pattern(r"\(([^()]*\b[Ss]ections?\b[^()]*)\)")
_TITLED = lazy_pattern(
    r"(?<![\w-])([A-Z][\w-]*+(?: [A-Z][\w-]*+){0,9})(?= sections?\b| in (?:the )?stor(?:y|ies)\b)"
)
_LIST_MARKS = lazy_pattern(r"[,;/&]|\band\b|\bor\b")
_NO_TITLE = lazy_pattern(r"\b(?:the|sections?|only)\b", re.IGNORECASE)
NOTE = lazy_pattern(r"\s[—–-]\s")
_SOLE = lazy_pattern(r"\bonly\b", re.IGNORECASE)


def act_patterns(text: str, stories: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the patterns of the acts that ``text`` names, () where it is no such sentence.

    stories: the globs of what is guarded of stories.
    """
    words = frozenset(_WORD.findall(_ASIDE.sub(" ", text).lower().replace("/", " ")))
    if not words or not words <= _KNOWN or text.startswith("git "):
        return ()
    return _patterns_of_acts(words, stories)


def _patterns_of_acts(words: frozenset[str], stories: Sequence[str]) -> tuple[str, ...]:
    acts = [act for act, named in _ACT_WORDS.items() if words & named]
    if words & _REQUESTS:
        is_unspecific = not words & (_CREATING | _MERGING | _CHANGING)
        acts += [act_commands.PULL_REQUEST] if is_unspecific or words & _CREATING else []
        acts += [act_commands.MERGE] if is_unspecific or words & _MERGING else []
    if words & _RELEASES or (words & _PUBLISHING and words & _PACKAGES):
        acts.append(act_commands.PUBLISH)
    if words & _TAGS and act_commands.PUSH in acts:
        acts.remove(act_commands.PUSH)
    patterns = [command for act in acts for command in act_commands.commands_for_act(act)]
    if words & _COMMITTING:
        patterns.append("git commit")
    if words & _STORIES and words & (_CREATING | _CHANGING):
        patterns += (f"write {glob}" for glob in stories)
    return tuple(dict.fromkeys(patterns))


_RESERVED = lazy_pattern(
    r"(?:MUST:|SHOULD:)?\s*(?:only|apenas|somente|s[óo]|s[óo]lo|solamente|nur|seulement|seul)\s+"
    r"(@[\w-]+(?:(?:\s*[,/]\s*|\s+(?:and|or|e|ou|y|o|und|oder|et)\s+)@[\w-]+)*)\s+"
    r"(?:may|can|is allowed to|pode|podem|puede|pueden|darf|dürfen|peut|peuvent)\s+"
    r"(?:(?:run|execute|perform|executar)\s+)?(.+)",
    re.IGNORECASE,
)
_AGENT = lazy_pattern(r"@([\w-]+)")
_ACT_LIST = lazy_pattern(r"(?:(?<!\s)\s+)?[,;/]\s*|(?<!\s)\s+(?:and|or|e|ou|y|o|und|oder|et)\s+")


def reserved_acts(text: str) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """Return the agents to whom a sentence leaves an act ("Only @devops may push"), the act in its
    words, and the patterns of the acts that these name, be there other words; all empty where it is
    no such sentence.
    """
    if (match := _RESERVED.match(text)) is None:
        return (), "", ()
    words = _KNOWN.intersection(_WORD.findall(match[2].lower()))
    if not words & {"pull", "merge"}:
        words -= {"request", "requests"}
    return tuple(_AGENT.findall(match[1])), match[2], _patterns_of_acts(words, ())


def reserved_commands(text: str) -> tuple[tuple[str, ...], list[tuple[str, bool]]]:
    """Return the agents to whom a sentence of prose leaves acts, and of each act its patterns or,
    with False, its own words; nothing where it says what SHOULD be.
    """
    agents, sentence, _ = ((), "", ()) if text.startswith("SHOULD") else reserved_acts(text)
    acts: list[tuple[str, bool]] = []
    for part in _ACT_LIST.split(sentence) if agents else ():
        act = part.strip(" .")
        patterns = (
            act_commands.commands_for_act(act.lower())
            if act.lower() in act_commands.ACTS
            else act_patterns(act)
        )
        acts += [(pattern, True) for pattern in patterns] or [(act, False)]
    return agents, acts


def story_sections(text: str) -> tuple[str, ...]:
    """Return the sections of stories that an act of authority is about: ``"QA Results" section in
    stories``, ``Story updates (File List, Dev Agent Record sections only)``; () where ``text``
    names none.
    """
    if not names_stories(text):
        return ()
    found = _QUOTED.findall(text)
    if not found and (listed := _LISTED.search(text)):
        found = _LIST_MARKS.split(_NO_TITLE.sub(" ", listed[1]))
    if not found:
        found = _TITLED.findall(text)
    names = (" ".join(name.split()) for name in found)
    return tuple(dict.fromkeys(name for name in names if name and '"' not in name))


def names_sole_sections(rule: str, action: str) -> bool:
    """Return whether ``action``, which a boundary allows, names sections of stories, and the
    boundary says that no others are allowed: "only".
    """
    sentence = NOTE.split(rule)[0]  # "— @po only" behind a dash is about somebody else
    return _SOLE.search(sentence) is not None and bool(story_sections(action))


def names_stories(text: str) -> bool:
    """Return whether an act of authority is about stories, by its text."""
    return bool(_STORIES.intersection(_WORD.findall(text.lower())))


def guarded_stories(text: str, rules: Iterable[Rule], folders: tuple[str, ...]) -> tuple[str, ...]:
    """Return the globs of what boundaries among the rules of a file may be about in ``folders`` of
    stories, as ``write`` has them: all but the sections that its agent may change. There are none
    where it may change stories, and nobody can tell which part of them. ``text`` is that of the
    file.
    """
    allowed = [
        action.action.value
        for rule in rules
        if rule.kind == "auth"
        for action in boundary_actions(text, rule)
        if action.effect == ALLOWED and names_stories(action.action.value)
    ]
    sections = [story_sections(value) for value in allowed]
    if not all(sections):
        return ()
    named = ", ".join(f'"{name}"' for name in dict.fromkeys(one for s in sections for one in s))
    return tuple(f"{at}/**/*.md outside {named}" if named else f"{at}/**" for at in folders)

"""This module recognises the acts that a sentence of an authority boundary names without the
command: "PR creation and merge", "releases and tags", "push to remote", "create or modify stories".

Only a sentence of which every word belongs to such an act is one: "Release notes" is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from synapse_ls.formats.authority_boundary import ALLOWED, boundary_actions
from synapse_ls.formats.rule_syntax import Rule
from synapse_ls.text.lazy_pattern import lazy_pattern

_CREATING = frozenset(
    ["create", "creating", "creation", "open", "opening", "opens", "submit", "submitting"]
)
_MERGING = frozenset(["merge", "merges", "merging"])
_CHANGING = frozenset(
    [
        "modify",
        "modifying",
        "modification",
        "edit",
        "editing",
        "update",
        "updating",
        "updates",
        "write",
        "writing",
        "change",
        "changing",
        "delete",
        "deleting",
        "deletion",
    ]
)
_PUSHING = frozenset(["push", "pushes", "pushing", "pushed"])
_COMMITTING = frozenset(["commit", "commits", "committing"])
_PUBLISHING = frozenset(["publish", "publishing", "publication"])
_REQUESTS = frozenset(["pr", "prs", "mr", "mrs", "request", "requests"])
_TAGS = frozenset(["tag", "tags", "tagging"])
_RELEASES = frozenset(["release", "releases", "releasing"])
_PACKAGES = frozenset(["package", "packages"])
_STORIES = frozenset(["story", "stories"])
_OTHERS = frozenset(
    [
        "and",
        "or",
        "of",
        "to",
        "the",
        "a",
        "an",
        "any",
        "all",
        "new",
        "code",
        "directly",
        "remote",
        "remotes",
        "origin",
        "git",
        "github",
        "management",
        "manage",
        "managing",
        "operations",
        "pull",
        "version",
        "versions",
        "file",
        "files",
    ]
)
_KNOWN = _OTHERS.union(
    _CREATING, _MERGING, _CHANGING, _PUSHING, _COMMITTING, _PUBLISHING, _REQUESTS, _TAGS, _RELEASES,
    _PACKAGES, _STORIES,
)  # fmt: skip
_WORD = lazy_pattern(r"[^\W_][\w-]*")
_ASIDE = lazy_pattern(r"\([^()]*\)")
_QUOTED = lazy_pattern(r"[\"“`]([^\"“”`]{1,80})[\"”`]")
_LISTED = lazy_pattern(r"\(([^()]*\b[Ss]ections?\b[^()]*)\)")
_TITLED = lazy_pattern(
    r"((?:[A-Z][\w-]*)(?: [A-Z][\w-]*)*)(?= sections?\b| in (?:the )?stor(?:y|ies)\b)"
)
_LIST_MARKS = lazy_pattern(r"[,;/&]|\band\b|\bor\b")
_NO_TITLE = lazy_pattern(r"\b(?:the|sections?|only)\b", re.IGNORECASE)
_NOTE = lazy_pattern(r"\s[—–-]\s")
_SOLE = lazy_pattern(r"\bonly\b", re.IGNORECASE)

RELEASE_COMMANDS = (
    "gh release create", "gh release edit", "gh release upload", "gh release delete",
)  # fmt: skip
PACKAGE_COMMANDS = ("npm publish", "cargo publish", "twine upload", "gem push", "uv publish")


def act_patterns(text: str, stories: Sequence[str] = ()) -> tuple[str, ...]:
    """Returns the patterns of the acts that ``text`` names, () where it is no such sentence.

    stories: the globs of what is guarded of stories.
    """
    words = frozenset(_WORD.findall(_ASIDE.sub(" ", text).lower().replace("/", " ")))
    if not words or not words <= _KNOWN or text.startswith("git "):
        return ()
    return tuple(dict.fromkeys(_guard_patterns(words, stories)))


def story_sections(text: str) -> tuple[str, ...]:
    """Returns the sections of stories that an act of authority is about: ``"QA Results" section in
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
    named = (" ".join(one.split()) for one in found)
    return tuple(dict.fromkeys(one for one in named if one and '"' not in one))


def names_sole_sections(rule: str, action: str) -> bool:
    """Returns whether ``action``, which a boundary allows, names sections of stories, and the
    boundary says that no others are allowed: "only".
    """
    said = _NOTE.split(rule)[0]  # "— @po only" behind a dash is about somebody else
    return _SOLE.search(said) is not None and bool(story_sections(action))


def names_stories(text: str) -> bool:
    """Returns whether an act of authority is about stories, by its text."""
    return bool(_STORIES.intersection(_WORD.findall(text.lower())))


def guarded_stories(text: str, rules: Iterable[Rule], folders: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the globs of what boundaries among the rules of a file may be about in ``folders`` of
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
    sections = [story_sections(one) for one in allowed]
    if not all(sections):
        return ()
    named = ", ".join(f'"{name}"' for name in dict.fromkeys(one for s in sections for one in s))
    return tuple(f"{at}/**/*.md outside {named}" if named else f"{at}/**" for at in folders)


def _guard_patterns(words: frozenset[str], stories: Sequence[str]) -> Iterator[str]:
    """Yields what the guard matches for acts that the words of a sentence name."""
    requests = words & _REQUESTS
    if requests:
        is_unspecific = not words & (_CREATING | _MERGING | _CHANGING)
        if is_unspecific or words & _CREATING:
            yield "gh pr create"
        if is_unspecific or words & _MERGING:
            yield "gh pr merge"
    if words & _TAGS:
        yield "git tag --create"
    if words & _RELEASES:
        yield from RELEASE_COMMANDS
    if words & _RELEASES or (words & _PUBLISHING and words & _PACKAGES):
        yield from PACKAGE_COMMANDS
    if words & _PUSHING and not words & _TAGS:
        yield "git push"
    if words & _COMMITTING:
        yield "git commit"
    if words & _STORIES and words & (_CREATING | _CHANGING):
        yield from (f"write {glob}" for glob in stories)

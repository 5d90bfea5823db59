"""Decide what a heading in a file of instructions says of the rules below it: whether they are to
be done or never ("Always", "Avoid"), when, and by whom.

Its front matter is read here, too, by which a client knows when the file applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from synapse_ls.formats.markdown_outline import Outline
from synapse_ls.formats.name_normalization import to_slug

GLOB_FIELDS = ("globs", "paths", "applyto", "filematchpattern")
# The globs that every file matches.
ALL_FILES = frozenset(("*", "**", "**/*"))


def front_matter_fields(parts: Outline) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the fields of the front matter of a file of instructions: keys in lower case, values as
    lists. Read by lines: Cursor's ``globs: **/*.ts`` is no valid YAML.
    """
    key, values = "", list[str]()
    for raw in parts.front.cut(parts.text).splitlines() if parts.front else ():
        line = raw.strip()
        if line.startswith("- "):
            values.append(_strip_quotes(line[2:]))
        elif ":" in line and not raw[:1].isspace():
            if key:
                yield key, tuple(filter(None, values))
            key, _, value = line.partition(":")
            key = key.strip().lower()
            value = value.strip().removeprefix("[").removesuffix("]")
            values = [_strip_quotes(item) for item in split_globs(value)]
    if key:
        yield key, tuple(filter(None, values))


def _strip_quotes(value: str) -> str:
    return value.strip().strip("\"'").strip()


def split_globs(value: str) -> list[str]:
    """Split the globs of a file of instructions, a comma list whose items may hold commas in
    braces: ``*.{ts,tsx},*.js`` are two.
    """
    items, depth = [""], 0
    for character in value:
        depth += (character == "{") - (character == "}")
        if character == "," and depth <= 0:
            items.append("")
        else:
            items[-1] += character
    return items


# Code points of an introduction that is repeated with each rule below it; a longer one is a rule.
LONGEST_LEAD = 80

# A heading of these words alone decides what the rules below it mean.
_POLARITY_TEXT = """
allowed always and anti antipatterns any ask avoid bad be before dangerous do don dont donts dos first
forbidden good in mandatory mistakes must never no not ok optional or patterns please prefer preferred
prohibited required right s should t the these things this to use what wrong you
"""
POLARITY_WORDS = frozenset(_POLARITY_TEXT.split())
# The same in other languages, folded.
_POLARITY_WORDS_ABROAD = """
durfen evitar evite faca fazer hacer immer interdit jamais jamas kein keine mai muss nao ne nicht nie
niemals no non nunca obligatorio obrigatorio prohibido proibido sempre siempre toujours verboten
vermeiden vietato
"""
_POLARITY_ABROAD = frozenset(_POLARITY_WORDS_ABROAD.split())
# Of these, it says when: its rules forbid less than they seem to.
_ASKING_SET = frozenset(("ask", "before", "first", "optional"))
# A rule that begins so says itself whether its matter is to be done.
_OWN_DIRECTIVE = re.compile(
    r"(?:please |you )?(?:never|always|do not|don['’]t|must|avoid)\b"
    r"|(?:não|nunca|jamais|jamás|sempre|siempre|evite|evita|deve|debe|toujours|niemals|immer|nie|kein|keine"
    r"|vermeide|mai)\b|ne (?=\w+ (?:pas|jamais)\b)|n['’](?=\w+ (?:pas|jamais)\b)",
    re.IGNORECASE,
)
_SPANISH_TITLE = re.compile(r"\b(?:nunca|siempre|jamás|prohibido)\b", re.IGNORECASE)
_SPANISH_NO = re.compile(r"no (?!\w+ing\b)", re.IGNORECASE)
# What turns a heading's rules round, says when they hold, or to whom they apply.
_DECIDING_TITLE = re.compile(
    r"\b(?:never|not|avoid|don['’]?t|only|always|must|without|forbidden|prohibited|nunca|não|sempre|"
    r"evite|evitar|apenas|proibido|siempre|jamais|toujours|niemals|nie|nicht|kein|keine|immer|nur)\b"
    r"|^(?:when|if|before|after|while|unless|during|quando|antes|depois|durante|ao|cuando|avant|après"
    r"|wenn|vor|nach|bei)\b(?! this\b)"
    r"|\b(?:when|if|for|with|before|after|unless|para|quando|se|cuando|pour|wenn|bei|für|vor|nach)$",
    re.IGNORECASE,
)
AGENT_IN_TITLE = re.compile(r"(?<![\w`])@[A-Za-z][\w-]*")


def only_forbids_or_demands(title: str) -> bool:
    """Return whether a heading says "Never", "Always" or the like, and nothing else."""
    words = to_slug(title).split()
    if not words or not _ASKING_SET.isdisjoint(words):
        return False
    return POLARITY_WORDS.issuperset(words) or _POLARITY_ABROAD.issuperset(words)


def turns_round(title: str, text: str) -> bool:
    """Return whether a heading before a rule would say the same twice, or the contrary: "Never:
    Don't push".
    """
    if not only_forbids_or_demands(title):
        return False
    if _SPANISH_TITLE.search(title) and _SPANISH_NO.match(text):
        return True
    return _OWN_DIRECTIVE.match(text) is not None


def says_whether(title: str) -> bool:
    """Return whether a heading says whether the rules below it are to be done, or when."""
    return len(title) <= LONGEST_LEAD and _DECIDING_TITLE.search(title) is not None

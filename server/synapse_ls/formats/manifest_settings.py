"""The settings of a manifest and their values, line by line.

A line's meaning does not depend on others, so results are cached by its text, with places relative
to its beginning: while a person types, all lines but one are cached.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from synapse_ls.formats.rule_syntax import to_upper_snake
from synapse_ls.text.edit_distance import choice_remedy, nearest_choice, nearest_word
from synapse_ls.text.finding import Finding, Text, problem_data
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import WHITE_SPACE, Span, new_tuple, trim_span

# What CARL v1 reads as true; every other word is false to it.
TRUE = frozenset({"true", "yes", "1"})

# CARL v1 takes one word more for DEVMODE.
DEVMODE_TRUE = TRUE | {"on"}

# The same in Portuguese, Spanish, French and German.
_YES = frozenset({"sim", "verdadeiro", "sí", "si", "verdadero", "oui", "vrai", "ja", "wahr"})
_NO = frozenset({"não", "nao", "falso", "non", "faux", "nein", "falsch"})
_ON = frozenset({"ativo", "ativa", "ativado", "ligado", "activo", "activa", "activado", "actif",
                 "activé", "aktiv", "an"})  # fmt: skip
_OFF = frozenset({"inativo", "inativa", "desativado", "desligado", "inactivo", "inactiva",
                  "desactivado", "apagado", "inactif", "désactivé", "inaktiv", "aus"})  # fmt: skip
_TRUE_LIKE = DEVMODE_TRUE | {"active", "enabled"} | _YES | _ON
_FALSE_LIKE = frozenset({"false", "no", "0", "off", "inactive", "disabled"}) | _NO | _OFF
_MAX_DIGITS = 12
_AMOUNT = lazy_pattern(r"(\d+(?:[ _,]\d{3})*) ?([kKmM]?)")
_SCALES = {"": 1, "k": 1_000, "m": 1_000_000}
_NUMBERS = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty",
]  # fmt: skip
_COMMENT = lazy_pattern(r"(?:^|(?<=\s))#")
_LIST_ITEM = lazy_pattern(r"[^,]+")
_PATTERN_ITEM = lazy_pattern(r"(?:\{[^{}]{0,200}\}|[^,])+")
_BRACES = lazy_pattern(r"\{([^{}]*,[^{}]*)\}")
_MOST_ALTERNATIVES = 64  # of one pattern
_MOST_CHARACTERS = 1_000_000  # of all alternatives of one pattern
_LONG_COMMENT = lazy_pattern(r"\s#\s")


def split_comment(value: Text) -> tuple[Text, Finding | None]:
    """Return a one-word value of KEY=VALUE without a trailing ``# note``, which the formats do not
    know, and the problem of the note.

    To the reference readers the note is part of the value, so it is reported, and the word is
    read.
    """
    if (match := _COMMENT.search(value.value)) is None:
        return value, None
    start = value.span.start
    comment = Span(start + match.start(), value.span.end)
    word = value.value[: match.start()].rstrip()
    problem = Finding(
        comment,
        "There are no comments after a value: other programs take this note as part of it.",
        "Move the note to a line of its own.",
        kind="inline-comment",
        data=(("value", word),),
    )
    return Text(word, Span(start, start + len(word))), problem


def list_comment_problem(value: Text) -> Finding | None:
    """Return the problem of a KEY=VALUE value, a list, that seems to end in ``# note``. It is kept
    as written: ``#`` may be part of an item.
    """
    if (match := _LONG_COMMENT.search(value.value)) is None:
        return None
    start = value.span.start + match.start() + 1
    return Finding(
        Span(start, value.span.end),
        "There are no comments after a value, so this note is part of the list's items.",
        "Move the note to a line of its own.",
        kind="inline-comment",
        data=(("value", value.value[: match.start()].rstrip()),),
    )


def read_bool(value: Text, true: frozenset[str] = TRUE) -> tuple[bool, Finding | None]:
    """Read a KEY=VALUE value that is ``true`` or ``false`` in any case; any other spelling is read
    as CARL reads it, and reported.
    """
    word = value.value.lower()
    if word in ("true", "false"):
        return word == "true", None
    read, quotes = word in true, strip_quotes(word)
    is_known = quotes in _TRUE_LIKE | _FALSE_LIKE
    near = "" if is_known else nearest_word(quotes, ("true", "false"))
    meant = near or ("true" if quotes in _TRUE_LIKE else "false" if is_known else "")
    read_as = str(read).lower()
    shown = f"`{value.value[:40]}`" if word else "An empty value"
    message = f"{shown} is neither `true` nor `false`; it is read as `{read_as}`."
    if is_known and meant == read_as:
        message = (
            f"{shown} is read as `{read_as}` here, but other programs know only `true` and `false`."
        )
    problem = Finding(
        value.span,
        message,
        f"Write `{meant}`." if meant else "Write `true` or `false`.",
        kind="bad-boolean",
        data=suggestion_data(meant, read_as, is_near=bool(near), is_known=is_known),
    )
    return read, problem


def strip_quotes(word: str) -> str:
    """Return a KEY=VALUE value without the quotes that the formats do not know."""
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word


def mark_key(problem: Finding, text: str, head: Span) -> Finding:
    """Return the problem of an empty KEY=VALUE value so that it marks the key and the ``=`` at
    ``head``: nothing else of the line is there to be underlined.
    """
    written = head.cut(text)
    data = tuple(
        (key, f"{written}{word}" if key == "suggestion" else word) for key, word in problem.data
    )
    remedy = re.sub(r"`(?=\w)", f"`{written}", problem.remedy)
    return problem._replace(span=head, remedy=remedy, data=data)


def suggestion_data(
    suggestion: str, read_as: str, *, is_near: bool, is_known: bool
) -> tuple[tuple[str, str], ...]:
    """Return a problem's data for a KEY=VALUE value, a word that is none of those allowed: what to
    write, and how it is read.

    is_near: the word is a slip of the suggestion. is_known: everybody knows what the word means.
    """
    data = [("suggestion", suggestion)] if suggestion else []
    if is_near or is_known:
        data.append(("read_as", read_as))
    if is_known:
        data.append(("known", suggestion))
    return tuple(data)


def read_count(value: Text) -> tuple[int | None, Finding | None]:
    """Read a KEY=VALUE value that is a whole number from 1 up; return it, or ``None`` and what is
    wrong.
    """
    word = value.value
    if word.isascii() and word.isdigit() and len(word) <= _MAX_DIGITS and int(word) > 0:
        return int(word), None
    amount = _AMOUNT.fullmatch(word) if word.isascii() and len(word) <= _MAX_DIGITS else None
    meant = int(re.sub("[ _,]", "", amount[1])) * _SCALES[amount[2].lower()] if amount else 0
    if word.lower() in _NUMBERS:
        meant = _NUMBERS.index(word.lower()) + 1
    shown = f"`{word[:40]}`" if word else "An empty value"
    problem = Finding(
        value.span,
        f"{shown} is not a whole number above 0, so this trigger never fires.",
        f"Write `{meant}`." if meant else "Write a number of at least 1, or delete the line.",
        kind="bad-number",
        data=problem_data(suggestion=str(meant or "")),
    )
    return None, problem


def split_list(
    text: str, value: Span, *, has_braces: bool = False
) -> tuple[tuple[Text, ...], tuple[Span, ...]]:
    """Split a KEY=VALUE value, a comma list in ``text``, into its items and its empty places, a run
    of them as one. has_braces: commas in braces separate no items, as in ``*.{ts,tsx}``.

    The span of an empty place takes a comma in, so that deleting it mends the list. An empty value
    is an empty list without an empty place.
    """
    items: list[Text] = []
    gaps: list[Span] = []
    last = value.start  # where the place of the last item ends
    for place in (_PATTERN_ITEM if has_braces else _LIST_ITEM).finditer(
        text, value.start, value.end
    ):
        begin, end = place.span()
        span = trim_span(text, begin, end)
        first, after = span
        if first == after:
            continue
        if not items and begin > value.start:
            gaps.append(Span(value.start, begin))
        elif items and begin > last + 1:
            gaps.append(Span(last, begin - 1))
        items.append(new_tuple(Text, (text[first:after], span)))
        last = end
    if last < value.end:
        gaps.append(Span(last, value.end))
    return tuple(items), tuple(gaps)


def expand_braces(pattern: str) -> tuple[str, ...]:
    """Return the patterns that one with braces stands for: ``*.{ts,tsx}`` is ``*.ts`` and
    ``*.tsx``.
    """
    patterns = [pattern]
    while (
        (first := _BRACES.search(patterns[0]))
        and len(patterns) < _MOST_ALTERNATIVES
        and len(patterns) * first[1].count(",") * len(patterns[0]) < _MOST_CHARACTERS
    ):
        patterns = [
            f"{each[: match.start()]}{part.strip()}{each[match.end() :]}"
            for each in patterns
            if (match := _BRACES.search(each))
            for part in match[1].split(",")
        ]
    return tuple(patterns)


class SettingKind(NamedTuple):
    """How the value of a manifest's setting is read: as "state", "bool", "list", "word"
    or "int".
    """

    kind: str
    summary: str


SETTINGS: Mapping[str, SettingKind] = {
    "STATE": SettingKind("state", "Whether the domain is switched on: `active` or `inactive`."),
    "ALWAYS_ON": SettingKind("bool", "Whether the domain is in every block, without a trigger."),
    "NON_NEGOTIABLE": SettingKind("bool", "Whether the budget may never cut the domain's rules."),
    "AGENT_TRIGGER": SettingKind("word", "The id of the agent that activates the domain."),
    "WORKFLOW_TRIGGER": SettingKind("word", "The id of the workflow that activates the domain."),
    "RECALL": SettingKind("list", "Words and phrases in a prompt that activate the domain."),
    "INFLECTIONS": SettingKind(
        "bool", "Whether the words of recall match in other forms, too: `test`, `testing`."
    ),
    "EXCLUDE": SettingKind("list", "Words and phrases in a prompt that stop the domain's recall."),
    "PATHS": SettingKind("list", "Patterns of files whose use activates the domain."),
    "EVERY_N_TURNS": SettingKind("int", "Activates the domain at every n-th prompt."),
    "ON_TOKENS": SettingKind("int", "Activates the domain each time n more tokens are in use."),
    "EXTENDS": SettingKind("word", "How a squad meets the root: `extend`, `override` or `none`."),
}
GLOBAL_KEYS: Mapping[str, SettingKind] = {
    "DEVMODE": SettingKind("bool", "Whether the block ends in a section about itself."),
    "GLOBAL_EXCLUDE": SettingKind("list", "Words and phrases in a prompt that stop all recall."),
}


@lru_cache(maxsize=8192)
def split_key(key: str) -> tuple[str, str]:
    """Split a key of a manifest into domain and setting: ``AGENT_DEV_STATE`` -> ``("AGENT_DEV",
    "STATE")``; ``("", key)`` for a global; else ``("", "")``.
    """
    if key in GLOBAL_KEYS:
        return "", key
    for setting in SETTINGS:
        domain = key.removesuffix(f"_{setting}")
        if domain and domain != key:
            return domain, setting
    return "", ""


EXTENDS_MODES = ("extend", "override", "none")

ACTIVE = frozenset({"active", "true", "yes", "1", "on", "enabled"})
INACTIVE = frozenset({"inactive", "false", "no", "0", "off", "disabled"})

_COMMENT_SIGN = lazy_pattern(r"//+|;+")  # what begins a comment elsewhere
_SHELL = lazy_pattern(r"export[ \t]+(?=\S)")
_COLON = lazy_pattern(r"([A-Z][A-Z0-9_]*)[ \t]*:")


class ListedFile(NamedTuple):
    """A manifest line of the form ``name=path``, by which some manifests list rule files: the
    domain of the file, and the settings that its name amounts to.
    """

    domain: str
    settings: tuple[tuple[str, Text], ...]


class ManifestLine(NamedTuple):
    """What one line of a manifest says; its fields are those of `ManifestEntry`. ``key`` is None
    without a key.
    """

    key: Text | None
    value: Text
    domain: str
    setting: str
    items: tuple[Text, ...]
    problems: tuple[Finding, ...]
    listed: ListedFile | None = None


def parse_line(line: str) -> ManifestLine | None:
    """Parse one line of a manifest without its break; return None for a blank one and for a
    comment.
    """
    parse = _parse_cached_line if len(line) <= _MAX_CACHED_LENGTH else _parse_uncached_line
    return parse(line)


_MAX_CACHED_LENGTH = 512  # code points of a line that is worth keeping


def _parse_uncached_line(text: str) -> ManifestLine | None:
    body = trim_span(text, 0, len(text))
    if not body.length or text[body.start] == "#":
        return None
    equals = text.find("=", body.start, body.end)
    shell = _SHELL.match(text, body.start, max(equals, body.start))
    if equals in (-1, body.start) or shell or _COMMENT_SIGN.match(text, body.start):
        malformed = (_malformed_line_problem(text, body, shell),)
        return ManifestLine(None, Text("", Span(0, 0)), "", "", (), malformed)
    key_end = body.start + len(text[body.start : equals].rstrip(WHITE_SPACE))
    key_span = Span(body.start, key_end)
    key = Text(key_span.cut(text), key_span)
    value_span = trim_span(text, equals + 1, body.end)
    value = Text(value_span.cut(text), value_span)
    domain, name = split_key(key.value)
    if not name:
        return ManifestLine(key, value, domain, name, (), (), _read_listed_file(key, value))
    problems: list[Finding] = []
    items: tuple[Text, ...] = ()
    if (SETTINGS.get(name) or GLOBAL_KEYS[name]).kind == "list":
        items, gaps = split_list(text, value_span, has_braces=name == "PATHS")
        problems += (_empty_item_problem(gap, name) for gap in gaps)
        if name == "PATHS":
            problems += filter(None, map(_pattern_problem, items))
        comment = list_comment_problem(value)
    else:
        value, comment = split_comment(value)
        if problem := value_problem(name, value):
            head = Span(key_span.start, equals + 1)
            problems.append(problem if value.value else mark_key(problem, text, head))
    if comment:
        problems.append(comment)
    return ManifestLine(key, value, domain, name, items, tuple(problems))


_LISTED = lazy_pattern(r"(?:\./)?(?:\.(?:synapse|carl)/)?([A-Za-z][\w-]*)")
_ALWAYS_THERE = frozenset({"CONSTITUTION", "GLOBAL", "CONTEXT", "COMMANDS"})
_PREFIXES = (("AGENT_", "AGENT_TRIGGER"), ("WORKFLOW_", "WORKFLOW_TRIGGER"))


def _read_listed_file(key: Text, value: Text) -> ListedFile | None:
    """Return what ``agent-dev=.synapse/agent-dev`` lists; None where the value is not the path of a
    rule file, or of none with this name.
    """
    if (match := _LISTED.fullmatch(value.value)) is None:
        return None
    domain = to_upper_snake(match[1])
    if "/" not in value.value and domain != to_upper_snake(key.value):
        return None
    if domain in _ALWAYS_THERE:
        return ListedFile(domain, ())
    for prefix, setting in _PREFIXES:
        if domain.startswith(prefix):
            # The key is the name that a person gave it, where it says the same.
            named = key if to_upper_snake(key.value).startswith(prefix) else value
            place = len(prefix) if named is key else len(value.value) - len(match[1]) + len(prefix)
            start = named.span.start + place
            text = named.value[place:]
            trigger = text.replace("-", "_") if setting == "WORKFLOW_TRIGGER" else text
            return ListedFile(
                domain, ((setting, Text(trigger.lower(), Span(start, named.span.end))),)
            )
    return ListedFile(domain, (("ALWAYS_ON", Text("true", key.span)),))


_parse_cached_line = lru_cache(maxsize=65_536)(_parse_uncached_line)


def value_problem(name: str, value: Text) -> Finding | None:
    """Return the problem of the value of a setting; None for a right one."""
    kind = (SETTINGS.get(name) or GLOBAL_KEYS[name]).kind
    if kind == "state":
        return _state_problem(value)
    if kind == "int":
        return read_count(value)[1]
    if name == "DEVMODE":
        is_on, problem = read_bool(value, DEVMODE_TRUE)
        if not is_on or problem:
            return problem
        return Finding(
            value.span,
            "Each block ends in the debug section for everybody who has this tree.",
            "Write `false`; `*synapse debug` in a prompt switches it on for one session.",
            kind="debug-left-on",
            data=(("suggestion", "false"),),
        )
    if kind == "bool":
        return read_bool(value)[1]
    if name == "EXTENDS" and value.value not in EXTENDS_MODES:
        return Finding(
            value.span,
            f"`{value.value[:40]}` is not a value of `EXTENDS`, so it is read as `extend`.",
            choice_remedy(value.value, EXTENDS_MODES),
            kind="bad-extends",
            data=problem_data(suggestion=nearest_choice(value.value, EXTENDS_MODES)),
        )
    return None


def _malformed_line_problem(text: str, body: Span, shell: re.Match[str] | None) -> Finding:
    if problem := comment_sign_problem(text, body):
        return problem
    colon = _COLON.match(text, body.start, body.end)
    wide = text.find(_WIDE_EQUALS, body.start, body.end)
    span, data = body, problem_data()
    message = "The line is not read, because it has no `=`."
    remedy = "Write KEY=value, or begin the line with `#`."
    if shell:
        span, data = Span(*shell.span()), (("suggestion", ""),)
        message = "The line is not read, because `export` cannot stand before a key."
        remedy = "Delete `export`."
    elif text[body.start] == "=":
        message = "The line is not read, because there is no key before `=`."
        remedy = "Write a key before the `=`, or delete the line."
    elif colon and any(split_key(colon[1])):
        span, data = Span(colon.end() - 1, colon.end()), (("suggestion", "="),)
        message = "The line is not read, because a key ends in `=`, not in `:`."
        remedy = "Write `=`."
    elif wide > body.start and any(split_key(text[body.start : wide].rstrip())):
        span, data = Span(wide, wide + 1), (("suggestion", "="),)
        message = f"The line is not read, because `{_WIDE_EQUALS}` is not the sign `=`."
        remedy = "Write `=`."
    elif heading := _HEADING.fullmatch(text, *body):
        data = problem_data(section=to_upper_snake(heading[1]))
        message = "A manifest has no sections, so this line is not read."
        remedy = f"Begin each key with `{to_upper_snake(heading[1])}_`, and delete the line."
    return Finding(span, message, remedy, kind="malformed-line", data=data)


def _state_problem(value: Text) -> Finding | None:
    word = value.value.lower()
    if word in ("active", "inactive"):
        return None
    read, quotes = "inactive" if word in INACTIVE else "active", strip_quotes(word)
    if word in ACTIVE | INACTIVE or quotes in ACTIVE:
        message = f"`{value.value}` is read as {read}, but other programs know only `active`."
    elif quotes in INACTIVE:
        message = (
            f"`{value.value}` with quotation marks is not a state; the domain is taken as active."
        )
    elif word:
        message = f"`{value.value[:40]}` is not a state; the domain is taken as active."
    else:
        message = "The state is empty; the domain is taken as active."
    known = ""
    if quotes in ACTIVE | _YES | _ON:
        known = "active"
    elif quotes in INACTIVE | _NO | _OFF:
        known = "inactive"
    near = "" if known else nearest_word(word, ("active", "inactive"))
    meant = known or near
    data = suggestion_data(meant, read, is_near=bool(near), is_known=bool(known))
    remedy = f"Write `{meant}`." if meant else "Write `active` or `inactive`."
    if meant and quotes == meant:
        remedy = "Delete the quotation marks."
    return Finding(value.span, message, remedy, kind="bad-state", data=data)


def _pattern_problem(item: Text) -> Finding | None:
    """Return the problem of a pattern of paths that can match no file; None for any other."""
    pattern, meant = item.value, ""
    if _OUTSIDE_PATH.match(pattern):
        return Finding(
            item.span,
            f"`{pattern[:60]}` leads out of the workspace folder, so it matches no file."
            if pattern.startswith("..")
            else f"`{pattern[:60]}` is an absolute path, so it matches no file.",
            "Write it relative to the workspace folder, for example `src/**`.",
            kind="path-leaves-root",
        )
    if pattern.startswith("!"):
        return Finding(
            item.span,
            f"`!` does not exclude files here: other patterns can still match `{pattern[1:60]}`.",
            "Delete the pattern, and write only the folders that you want, such as `src/api/**`.",
            kind="dead-pattern",
        )
    if "\\" in pattern:
        why, meant = "folders are separated by `/`", pattern.replace("\\", "/")
    elif pattern.startswith("./"):
        why, meant = "it begins with `./`", pattern.removeprefix("./")
    elif pattern.endswith("/"):
        why, meant = "a folder is no file", f"{pattern}**"
    else:
        return None
    return Finding(
        item.span,
        f"`{pattern[:60]}` matches no file, because {why}.",
        f"Write `{meant}`.",
        kind="dead-pattern",
        data=problem_data(suggestion=meant),
    )


def _empty_item_problem(gap: Span, name: str) -> Finding:
    return Finding(
        gap,
        f"The list {name} has an empty item, which is ignored here but matches every prompt in "
        "CARL.",
        "Delete the comma.",
        kind="empty-recall-item",
        data=(("suggestion", ""),),
    )


_HEADING = lazy_pattern(r"\[[ \t]*([\w-]{1,80})[ \t]*\]")
_WIDE_EQUALS = "\uff1d"  # as input methods for Chinese and Japanese write it
_OUTSIDE_PATH = lazy_pattern(r"(?:(?:\.\.|~|[A-Za-z]:)[/\\]|/(?:home|Users)/)")


def comment_sign_problem(text: str, body: Span) -> Finding | None:
    """Return the problem of a KEY=VALUE line that is a comment in another language; None for any
    other.
    """
    if (match := _COMMENT_SIGN.match(text, *body)) is None:
        return None
    return Finding(
        Span(*match.span()),
        f"`{match[0]}` does not begin a comment here, so the line is not read.",
        "Write `#`.",
        kind="malformed-line",
        data=(("suggestion", "#"),),
    )

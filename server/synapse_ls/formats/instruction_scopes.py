"""Read and write the scope of a file of instructions: for which files a client applies it, and
when.

From front matter and place, by a table of each client's dialect. A manifest's globs are anchored at
the root: ``*`` and ``?`` stay within a folder, ``**`` crosses folders, everything else is literal.
What the other side cannot express becomes the nearest wider glob, and is reported as wider.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from synapse_ls.formats.manifest_settings import expand_braces
from synapse_ls.formats.markdown_outline import Line, find_front_matter
from synapse_ls.text import digest, line_index
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

Front = Mapping[str, tuple[str, ...]]

# The globs that every file matches.
ALL_FILES = frozenset(("*", "**", "**/*"))
# Characters that mean something in a minimatch-like glob, or to who splits a list of them.
_SPECIAL_CHARACTERS = frozenset("[]{}()!+@,")


class Anchor(Enum):
    """Where a glob of a dialect applies: from the root; below every folder where it has no slash
    (the place of one at its end does not count); or below every folder.
    """

    ROOT = "root"
    SLASH = "slash"
    NOWHERE = "nowhere"


class GlobDialect(NamedTuple):
    """How a program reads globs.

    covers_folders: whether one that matches a folder matches all that is in it, as in gitignore.
    unmatchable: characters that cannot be put into brackets so that they mean themselves.
    """

    name: str
    anchor: Anchor
    covers_folders: bool = False
    unmatchable: frozenset[str] = frozenset()


class Scope(NamedTuple):
    """When the client of a file of instructions applies it.

    always: with every prompt. paths: with files that match these globs of a manifest. why: why it
    is neither, as a clause: only on request. wider: globs that match more in a manifest than they
    do there.
    """

    always: bool = False
    paths: tuple[str, ...] = ()
    why: str = ""
    wider: tuple[str, ...] = ()


class ScopeDialect(NamedTuple):
    """How a client says when it applies a file.

    place: matches its files; the group ``home`` is the folder that they count for. globs: how it
    reads these, from the field ``field``, as the client spells it. on_request: front matter -> why
    a file without globs is not applied by itself, "" where it always is. head: (description, globs)
    -> front matter.
    """

    place: re.Pattern[str]
    globs: GlobDialect
    field: str
    on_request: Callable[[Front], str]
    head: Callable[[str, tuple[str, ...]], str] | None = None


def _always(_: Front) -> str:
    return ""


def _cursor_request(front: Front) -> str:
    if "true" in front.get("alwaysapply", ()):
        return ""
    if front.get("description"):
        return "Cursor applies it where the agent asks for it by its description"
    return "Cursor applies it only where a person names it"


def _windsurf_request(front: Front) -> str:
    trigger = "".join(front.get("trigger", ())).lower()
    if trigger == "always_on":
        return ""
    if trigger == "model_decision":
        return "Windsurf applies it where the agent asks for it by its description"
    return "Windsurf applies it only where a person names it"


def _kiro_request(front: Front) -> str:
    inclusion = "".join(front.get("inclusion", ())).lower()
    if inclusion == "manual":
        return "Kiro applies it only where a person names it"
    return "Kiro applies it where a prompt is about its description" if inclusion == "auto" else ""


def _copilot_head(description: str, globs: tuple[str, ...]) -> str:
    fields = f"description: {quote_yaml(description)}\napplyTo: {quote_yaml(','.join(globs))}"
    return f"---\n{fields}\n---\n"


def _cursor_head(description: str, globs: tuple[str, ...]) -> str:
    # ``globs`` is a text with commas; quotes in it are taken as they stand.
    always = "false" if globs else "true"
    fields = f"description: {description}\nglobs: {','.join(globs)}".rstrip(" ")
    return f"---\n{fields}\nalwaysApply: {always}\n---\n"


def quote_yaml(text: str) -> str:
    """Return translated globs as a YAML 1.2 scalar in double quotes, which is never read as
    something else.
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_HOME = r"(?P<home>(?:[^/]+/)*?)"
_COMMA = frozenset(",")
CLAUDE = GlobDialect("Claude Code", Anchor.SLASH, covers_folders=True, unmatchable=_COMMA)
CURSOR = GlobDialect("Cursor", Anchor.SLASH, unmatchable=_COMMA)
VSCODE = GlobDialect("VS Code", Anchor.NOWHERE)
PICOMATCH = GlobDialect("Cline", Anchor.ROOT)

# Sources: Claude Code documentation, "Manage Claude's memory", and 2.1.330, which reads ``paths``
# as gitignore does; Cursor documentation, "Rules"; VS Code documentation, "Use custom
# instructions", and 1.139, which puts ``**/`` before globs; GitHub documentation, "Adding
# repository custom instructions"; Windsurf documentation, "Memories & Rules"; Cline documentation,
# "Conditional Rules", and its source (the folders that it leaves out); Kiro documentation,
# "Steering".
SCOPE_DIALECTS: Mapping[str, ScopeDialect] = {
    "claude": ScopeDialect(
        lazy_pattern(_HOME + r"\.claude/rules/.+\.md"),
        CLAUDE,
        "paths",
        _always,
        # A quoted text with commas: some versions pass over a list.
        lambda _, globs: f"---\npaths: {quote_yaml(', '.join(globs))}\n---\n",
    ),
    "cursor": ScopeDialect(
        lazy_pattern(_HOME + r"\.cursor/rules/.+\.mdc?"),
        CURSOR,
        "globs",
        _cursor_request,
        _cursor_head,
    ),
    "copilot": ScopeDialect(
        lazy_pattern(_HOME + r"\.github/instructions/.+\.md"),
        VSCODE,
        "applyTo",
        lambda _: "without `applyTo`, Copilot applies it only where a person attaches it",
        _copilot_head,
    ),
    "windsurf": ScopeDialect(
        lazy_pattern(_HOME + r"\.windsurf/rules/.+\.md"),
        CURSOR._replace(name="Windsurf"),
        "globs",
        _windsurf_request,
    ),
    "cline on request": ScopeDialect(
        lazy_pattern(_HOME + r"\.clinerules/(?:workflows|hooks|skills)/.+"),
        PICOMATCH,
        "",
        lambda _: "Cline applies it only where it is called",
    ),
    "cline": ScopeDialect(
        lazy_pattern(_HOME + r"(?:\.clinerules|\.cline/rules)/.+\.(?:md|txt)"),
        PICOMATCH,
        "paths",
        _always,
    ),
    "kiro": ScopeDialect(
        lazy_pattern(_HOME + r"\.kiro/steering/.+\.md"),
        CURSOR._replace(name="Kiro"),
        "fileMatchPattern",
        _kiro_request,
    ),
}
# A file that counts for the folder that it lies in.
_NESTED = lazy_pattern(
    r"(?P<home>(?:[^/]+/)*[^./][^/]*/)(?:AGENTS|CLAUDE|GEMINI)(?:\.override|\.local)?\.md"
)
# GitHub's names for what writes code, as opposed to what reviews it.
_CODING_AGENTS = frozenset(("coding-agent", "cloud-agent"))
_ANY_FIELD = ("globs", "paths", "applyto", "filematchpattern")


def read_scope(path: str, front: Front) -> Scope:
    """Return when the client of the file at ``path``, relative to the root, applies it."""
    for dialect in SCOPE_DIALECTS.values():
        if place := dialect.place.fullmatch(path):
            return _read_by_dialect(dialect, place["home"], front)
    if nested := _NESTED.fullmatch(path):
        return Scope(paths=(f"{nested['home']}**",))
    globs = [glob for field in _ANY_FIELD for glob in front.get(field, ())]
    if "true" in front.get("alwaysapply", ()) or not ALL_FILES.isdisjoint(globs) or not globs:
        return Scope(always=True)
    paths, wider = read_globs(globs, PICOMATCH)
    return Scope(paths=paths, wider=wider)


def _read_by_dialect(dialect: ScopeDialect, home: str, front: Front) -> Scope:
    excluded = front.get("excludeagent", ())
    if not _CODING_AGENTS.isdisjoint(excluded):
        agents = ", ".join(excluded)
        return Scope(why=f"`excludeAgent: {agents}` keeps it from agents that write code")
    globs = front.get(dialect.field.lower(), ())
    is_always = not ALL_FILES.isdisjoint(globs) or (
        dialect.globs is CURSOR and "true" in front.get("alwaysapply", ())
    )
    # A field of globs counts only where the file is kept for them.
    if dialect.globs.name == "Kiro" and not _has_word(front, "inclusion", "filematch"):
        globs = ()
    elif dialect.globs.name == "Windsurf" and not _has_word(front, "trigger", "glob"):
        globs, is_always = (), False
    if globs and not is_always:
        paths, wider = read_globs(globs, dialect.globs)
        return Scope(paths=tuple(home + each for each in paths), wider=wider)
    why = "" if is_always else dialect.on_request(front)
    if not why and home:
        return Scope(paths=(f"{home}**",))
    return Scope(always=not why, why=why)


def _has_word(front: Front, field: str, word: str) -> bool:
    return word in map(str.lower, front.get(field, ()))


_CLASS = lazy_pattern(r"\[([!^]?)(\]?[^\]]{0,200})\]")
_EXTENDED = lazy_pattern(r"[@?*+!]\(([^()]*)\)")
_MOST_LETTERS = 10  # of a class in brackets that are written one by one


def read_globs(
    globs: Sequence[str], dialect: GlobDialect
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the globs of a manifest that match what ``globs`` do in a dialect, and those of
    ``globs`` of which they match more.
    """
    paths: list[str] = []
    wider: list[str] = []
    for glob in globs:
        if glob.startswith("!"):
            wider.append(glob)
            continue
        plain, is_exact = _without_classes(glob.removeprefix("./"))
        if not is_exact:
            wider.append(glob)
        for pattern in expand_braces(plain):
            paths += _read_glob(pattern, dialect)
    return tuple(dict.fromkeys(paths)), tuple(wider)


def _without_classes(glob: str) -> tuple[str, bool]:
    """Return a glob whose classes in brackets, and alternatives of bash, are braces or wildcards;
    and whether it matches the same.
    """
    is_exact = True

    def as_braces(match: re.Match[str]) -> str:
        nonlocal is_exact
        letters = re.sub(
            r"(.)-(.)",
            lambda ends: "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1)[:99])),
            match[2],
        )
        if match[1] or len(letters) > _MOST_LETTERS or set(letters) & set("{},*?/"):
            is_exact = False
            return "?"
        return letters if len(letters) == 1 else "{" + ",".join(letters) + "}"

    def as_alternatives(match: re.Match[str]) -> str:
        nonlocal is_exact
        if match[0][0] == "@" and "*" not in match[1]:
            return "{" + match[1].replace("|", ",") + "}"
        is_exact = False
        return "*"

    plain = _EXTENDED.sub(as_alternatives, _CLASS.sub(as_braces, glob))
    parts = [re.sub(r"\*+", "*", part) if part != "**" else part for part in plain.split("/")]
    return "/".join(parts), is_exact


def _read_glob(glob: str, dialect: GlobDialect) -> Iterator[str]:
    is_rooted = glob.startswith("/") and dialect.anchor is not Anchor.NOWHERE
    is_folder = dialect.covers_folders and glob.endswith(("/", "/**"))
    if is_folder:
        glob = glob.removesuffix("**")
    parts = [part for part in glob.strip("/").split("/") if part]
    if not parts:
        return
    if dialect.anchor is Anchor.NOWHERE or (
        dialect.anchor is Anchor.SLASH and not is_rooted and len(parts) == 1
    ):
        parts = ["**", *parts]
    while parts[:2] == ["**", "**"]:
        del parts[0]
    if dialect.covers_folders and parts[-1] != "**" and (is_folder or "." not in parts[-1]):
        # It covers a folder that it matches; names with a dot are those of files.
        parts.append("**")
    yield "/".join(parts)


class TranslatedGlobs(NamedTuple):
    """Globs in the dialect of one client.

    ``wider_globs``: (as in the manifest, as written) of those that match more than they
    should. ``unanchored_globs``: those, as in the manifest, that apply below every folder and
    not at the root only.
    """

    globs: tuple[str, ...]
    wider_globs: tuple[tuple[str, str], ...] = ()
    unanchored_globs: tuple[str, ...] = ()


def translate_globs(patterns: Sequence[str], dialect: GlobDialect) -> TranslatedGlobs:
    """Return the globs that match in ``dialect`` what ``patterns`` match."""
    globs, wider, anywhere = [], [], []
    brackets = {char: f"[{char}]" for char in _SPECIAL_CHARACTERS}
    table = str.maketrans(brackets | dict.fromkeys(dialect.unmatchable, "?"))
    for pattern in patterns:
        parts = [part for part in pattern.strip("/").split("/") if part]
        if not parts:
            continue
        written = "/".join(
            part if part == "**" else re.sub(r"\*+", "*", part).translate(table) for part in parts
        )
        is_short = len(parts) == 1 or (dialect.covers_folders and parts[1:] == ["**"])
        is_anywhere = dialect.anchor is Anchor.NOWHERE or (
            dialect.anchor is Anchor.SLASH and is_short
        )
        if is_anywhere and parts[0] != "**":
            if dialect.covers_folders:
                written = f"/{written}"
            else:
                anywhere.append(pattern)
        globs.append(written)
        if not dialect.unmatchable.isdisjoint(pattern):
            wider.append((pattern, written))
    return TranslatedGlobs(tuple(dict.fromkeys(globs)), tuple(wider), tuple(anywhere))


def front_matter_span(text: str) -> Span:
    """Return the place of the front matter with its marks; empty where there is none."""
    if not text.startswith(("---", "\ufeff---")):
        return Span(0, 0)
    lines = [Line(Span(start, end), text[start:end]) for start, end in line_index.iter_lines(text)]
    front, number = find_front_matter(lines)
    return Span(0, lines[number - 1].span.end if front else 0)


def front_matter(text: str) -> Mapping[str, tuple[str, ...]]:
    """Return the front matter of a file of instructions: keys in lower case, values as lists."""
    written = _front_fields(front_matter_span(text).cut(text))
    fields = {key: (value.strip().strip("\"'").strip() for value in v) for key, v in written if key}
    return {key: tuple(filter(None, values)) for key, values in fields.items()}


# What Claude Code, Copilot CLI and Gemini CLI take for a path that they put in its place.
_IMPORT = r"(?<![\w`@/.])@((?:\.{1,2}/)*\.?[\w-][\w./-]*)(?![\w:,])"
_CODE = r"(?ms)^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)|`[^`\n]*`"


def imported_paths(text: str) -> list[str]:
    """Return the paths that clients may follow in a file of instructions, as they are written."""
    return re.findall(_IMPORT, re.sub(_CODE, "", text)) if "@" in text else []


def scope_digest(text: str) -> str:
    """Return a hash of what, beside its rules, a file of instructions says to its readers: its
    front matter, and which files it brings in.
    """
    return digest.hash_text("\n".join((front_matter_span(text).cut(text), *imported_paths(text))))


def _front_fields(front: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the fields, "" before the first. Read by lines: Cursor's ``globs: **/*.ts`` is no valid
    YAML.
    """
    key, values = "", list[str]()
    for raw in front.splitlines()[1:-1]:
        line = raw.strip()
        if line.startswith("- "):
            values.append(line[2:])
        elif ":" in line and not raw[:1].isspace():
            yield key, values
            key, _, value = line.partition(":")
            key = key.strip().lower()
            values = split_globs(value.strip().removeprefix("[").removesuffix("]"))
    yield key, values


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

"""The targets of `synapse sync`: the instruction files that clients read rules from, by name.

The globs of a manifest are translated into the dialects of the clients. Ours are anchored at the
root; ``*`` and ``?`` stay within a folder, ``**`` as a whole part of a path goes across folders,
and every other character is itself. Where a dialect has no way to say that, the nearest glob that
matches no less is taken, and what it matches in addition is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from synapse_ls.text.line_index import LineIndex

_SPECIAL_CHARACTERS = frozenset("[]{}()!+@,")
"""Characters that mean something in a minimatch-like glob, or to who splits a list of them."""


class GlobDialect(NamedTuple):
    """How a program reads globs.

    ``is_anchored``: whether one is meant from the root; else it applies in every folder, too.
    ``unmatchable``: characters that cannot be put into brackets so that they mean themselves.
    """

    name: str
    is_anchored: bool
    unmatchable: frozenset[str] = frozenset()


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
        globs.append(written)
        if not dialect.unmatchable.isdisjoint(pattern):
            wider.append((pattern, written))
        if not dialect.is_anchored and parts[0] != "**":
            anywhere.append(pattern)
    return TranslatedGlobs(tuple(dict.fromkeys(globs)), tuple(wider), tuple(anywhere))


def quote_yaml(text: str) -> str:
    """Return translated globs as a YAML 1.2 scalar in double quotes, which is never read as
    something else.
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class SizeLimit(NamedTuple):
    """How much of an instruction file the client that reads it takes. ``unit``: "bytes",
    "characters" or "lines".
    """

    amount: int
    unit: str
    effect: str

    def describe_excess(self, text: str) -> str:
        """Return what is to be said of a file with ``text``, "" where it is small enough."""
        size = {
            "bytes": len(text.encode("utf-8", "surrogateescape")),
            "characters": len(text),
            "lines": LineIndex(text).line_count - text.endswith(("\n", "\r")),
        }[self.unit]
        if size <= self.amount:
            return ""
        return f"it has {size:,} {self.unit} of {self.amount:,}: {self.effect}"


FrontMatter = Callable[[str, tuple[str, ...]], str]


@dataclass(frozen=True, slots=True)
class InstructionPlace:
    """A file or folder from which a client reads instructions.

    path: relative to the root; ``{}`` is for the slug of a domain. front: (description,
    globs) -> front matter; with it the file is ours as a whole, without it only a block in it
    is.
    """

    path: str
    front: FrontMatter | None = None
    limit: SizeLimit | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the file is ours as a whole."""
        return self.front is not None

    def path_for(self, slug: str) -> str:
        """Return the path for a domain."""
        return self.path.replace("{}", slug)

    def matches(self, path: str) -> bool:
        """Return whether ``path`` is one of this place."""
        before, _, after = self.path.partition("{}")
        if "{}" not in self.path:
            return path == self.path
        name = path[len(before) : len(path) - len(after)]
        inside = path.startswith(before) and path.endswith(after)
        return inside and bool(name) and "/" not in name


@dataclass(frozen=True, slots=True)
class SyncTarget:
    """A target of `synapse sync`: a client's own instruction files for rules.

    name: what people call it. title: who reads the files. main_place: the place of the rules
    that always apply. scoped_place: that of rules for some files; without one they follow
    those that always apply, each under a heading that names the files. dialect: how it reads
    globs. clients: those that `synapse install` knows and that read these files; where one of
    them has the hook, nothing is said twice. other_readers: clients that read them beside
    files of their own. imports: whether ``@path`` in the files is replaced by that file.
    """

    name: str
    title: str
    main_place: InstructionPlace
    clients: tuple[str, ...]
    scoped_place: InstructionPlace | None = None
    dialect: GlobDialect | None = None
    other_readers: tuple[str, ...] = ()
    imports: bool = False

    @property
    def places(self) -> tuple[InstructionPlace, ...]:
        """All places, the main one first."""
        return (self.main_place, self.scoped_place) if self.scoped_place else (self.main_place,)

    def place_of(self, path: str) -> InstructionPlace | None:
        """Return the place that ``path`` belongs to, None for none."""
        return next((place for place in self.places if place.matches(path)), None)


class InstructionFile(NamedTuple):
    """One of a target's instruction files as it is to be. ``front`` is "" and ``whole`` false where
    only the block is ours.
    """

    path: str
    kind: str
    body: str
    front: str = ""
    whole: bool = False
    globs: TranslatedGlobs = TranslatedGlobs(())
    limit: SizeLimit | None = None


def _claude_head(_: str, globs: tuple[str, ...]) -> str:
    # A quoted text with commas: some versions pass over a list.
    return f"---\npaths: {quote_yaml(', '.join(globs))}\n---\n"


def _copilot_head(description: str, globs: tuple[str, ...]) -> str:
    fields = f"description: {quote_yaml(description)}\napplyTo: {quote_yaml(','.join(globs))}"
    return f"---\n{fields}\n---\n"


def _cursor_head(description: str, globs: tuple[str, ...]) -> str:
    # ``globs`` is a text with commas; quotes in it are taken as they stand.
    always = "false" if globs else "true"
    fields = f"description: {description}\nglobs: {','.join(globs)}".rstrip(" ")
    return f"---\n{fields}\nalwaysApply: {always}\n---\n"


_CLAUDE_LIMIT = SizeLimit(200, "lines", "Claude Code's documentation advises to stay below that")
_COPILOT_LIMIT = SizeLimit(4000, "characters", "Copilot's code review reads no more")
_CURSOR_LIMIT = SizeLimit(500, "lines", "Cursor advises to stay below that")

# Sources: Cursor documentation, "Rules"; VS Code documentation, "Use custom instructions"; GitHub
# documentation, "Adding repository custom instructions"; agents.md; Codex documentation,
# ``project_doc_max_bytes``; OpenCode 1.18.33, Kilo 7.7.9, Cline 3.0.65; Claude Code documentation,
# "Manage Claude's memory"; Gemini CLI documentation, "Provide context with GEMINI.md files".
TARGETS: dict[str, SyncTarget] = {
    target.name: target
    for target in (
        SyncTarget(
            name="cursor",
            title="Cursor",
            main_place=InstructionPlace(".cursor/rules/synapse.mdc", _cursor_head, _CURSOR_LIMIT),
            scoped_place=InstructionPlace(
                ".cursor/rules/synapse-{}.mdc", _cursor_head, _CURSOR_LIMIT
            ),
            dialect=GlobDialect("Cursor", is_anchored=True, unmatchable=frozenset(",")),
            clients=("cursor",),
        ),
        SyncTarget(
            name="copilot",
            title="GitHub Copilot",
            main_place=InstructionPlace(".github/copilot-instructions.md", limit=_COPILOT_LIMIT),
            scoped_place=InstructionPlace(
                ".github/instructions/synapse-{}.instructions.md", _copilot_head, _COPILOT_LIMIT
            ),
            dialect=GlobDialect("VS Code", is_anchored=False),  # applies below every folder
            clients=("vscode", "copilot"),
        ),
        SyncTarget(
            name="agents",
            title="Codex and others",
            main_place=InstructionPlace(
                "AGENTS.md",
                limit=SizeLimit(32_768, "bytes", "Codex reads no more unless it is told to"),
            ),
            clients=("codex", "opencode", "kilo", "cline"),
            other_readers=("vscode", "copilot", "cursor"),
        ),
        SyncTarget(
            name="claude",
            title="Claude Code",
            # HTML comments, and so our marks, are not shown to the model.
            main_place=InstructionPlace("CLAUDE.md", limit=_CLAUDE_LIMIT),
            scoped_place=InstructionPlace(
                ".claude/rules/synapse-{}.md", _claude_head, _CLAUDE_LIMIT
            ),
            dialect=GlobDialect("Claude Code", is_anchored=True, unmatchable=frozenset(",")),
            clients=("claude",),
            imports=True,
        ),
        SyncTarget(
            name="gemini",
            title="Gemini CLI",  # it knows no rules for some files only
            main_place=InstructionPlace("GEMINI.md"),
            clients=("gemini",),
            imports=True,
        ),
    )
}


def find_target(path: str) -> SyncTarget | None:
    """Return the target of `synapse sync` of whose instruction files a path relative to the root is
    one, None for none.
    """
    return next((target for target in TARGETS.values() if target.place_of(path)), None)


# Files that clients read beside those that `synapse sync` writes.
_OTHER_PLACES = {
    ".claude/CLAUDE.md": "claude",
    ".claude/rules/": "claude",
    ".cursor/rules/": "cursor",
    ".cursorrules": "cursor",
    ".github/instructions/": "copilot",
}


def target_of(path: str) -> SyncTarget | None:
    """Return the target of `synapse sync` whose clients read the file at ``path``; None for a file
    that no client reads by itself.
    """
    for place, name in _OTHER_PLACES.items():
        if path == place or (place.endswith("/") and path.startswith(place)):
            return TARGETS[name]
    return find_target(path)

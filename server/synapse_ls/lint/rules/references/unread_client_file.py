"""A client does not read its own file as it is written.

## What it does

Reports in a client's folder of rules

- files whose names the client passes over (`.github/instructions/a.md`; `.cursor/rules/a.md` in
  some of Cursor's versions), once for a folder;
- front matter that says the scope of a file with the field of another client (`globs` in
  `.claude/rules`) or with a misspelt one;
- a file of Cursor without front matter;
- an `AGENTS.md` of which Codex reads only a part, outside of folders such as `.cursor`.

An agent's persona, and what a folder such as `agents`, `personas` or `skills` has there, is for
people to name, and is not looked at.

## Why it matters

The client says nothing. What it passes over never reaches an agent, and a file whose scope is not
read is applied always, or never.

## Example

```bad
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Write small functions
-- .claude/rules/api.md --
---
globs: src/api/**
---

- Check what comes in
```

```good
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Write small functions
-- .claude/rules/api.md --
---
paths: src/api/**
---

- Check what comes in
```

## Evidence

The documentation of Claude Code ("Manage Claude's memory"), Cursor ("Rules"), VS Code ("Use custom
instructions") and Codex (`project_doc_max_bytes`, 32 KiB).

## Fix

The field gets the name that the client reads, or the file front matter. A file that begins with a
role (`You are …`) may be a persona, so it gets none. What the client applies changes."""

import re
from collections.abc import Iterator

from synapse_ls.formats.instruction_scopes import SCOPE_DIALECTS, front_matter
from synapse_ls.lint.fixes import single_edit_fix, word_fix
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span, parent_folder
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.workspace.instruction_readers import CODEX_LIMIT

_CLIENTS = ("claude", "cursor", "copilot", "cline")
_ENDINGS = {"cursor": ".mdc", "copilot": ".instructions.md"}
_CURSOR_SCOPES = (
    "`alwaysApply: true` for every prompt, `globs: src/**` for files in `src`, or a `description` "
    "of when to use it"
)
_NAMED_FOLDER = lazy_pattern(r"/(?:agents|commands|modes|personas|prompts|roles|skills)/")
_PERSONA = lazy_pattern(r"ACTIVATION-NOTICE|agent:[ \t]*$", re.MULTILINE)
_ROLE = lazy_pattern(r"[\W_]*(?:you are|act as|você é|eres|atue como|actúa como)\b", re.IGNORECASE)


def unread_name(path: str) -> str:
    """Return the name that the client would read of a file in its folder, "" where it reads it."""
    for client, ending in _ENDINGS.items():
        if SCOPE_DIALECTS[client].place.fullmatch(path) and not path.endswith(ending):
            return path.rpartition("/")[2].removesuffix(".md") + ending
    return ""


def cursor_fixes(facts: FileFacts) -> tuple[Fix, ...]:
    """Return the fixes of a file without the front matter that says when Cursor is to use it."""
    words = re.search(r"\w.{0,80}", facts.text)
    description = words[0].strip().replace("`", "").replace("'", "''") if words else ""
    titles = (
        "Add `alwaysApply: true`, for every prompt",
        "Add `globs: src/**`, for files in `src`",
        f"Add `description: '{description}'`, so that agents decide when to use it",
    )
    texts = (f"---\n{title.split('`')[1]}\n---\n\n" for title in titles)
    return tuple(
        single_edit_fix(facts, title, Span(0, 0), text)
        for title, text in zip(titles, texts, strict=True)
    )


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield the findings for the name, the front matter and the size of a client's file."""
    size = len(facts.text.encode(errors="replace"))
    in_client_folder = "/." in f"/{facts.path}"  # an example or a skill, where nobody works
    if facts.path.endswith("AGENTS.md") and size > CODEX_LIMIT and not in_client_folder:
        yield Finding(
            first_line_span(facts),
            f"Codex reads {CODEX_LIMIT:,} bytes of this file, which has {size:,}.",
            "Shorten it, or put parts of it into the folders that they are about.",
        )
    client = next((n for n in _CLIENTS if SCOPE_DIALECTS[n].place.fullmatch(facts.path)), "")
    # What is for people to name would do harm with every prompt.
    is_persona = any(_PERSONA.match(line) for line in facts.text[:4_000].splitlines())
    if not client or is_persona or _NAMED_FOLDER.search(facts.path):
        return
    dialect, span = SCOPE_DIALECTS[client], first_line_span(facts)
    title, field = dialect.globs.name, dialect.field
    if name := unread_name(facts.path):
        folder = parent_folder(facts.path)
        beside = (p for p in tree.snapshot.paths_under(folder) if parent_folder(p) == folder)
        unread = filter(unread_name, beside)
        if facts.path != next(unread, facts.path):
            return
        count = 1 + sum(1 for _ in unread)
        ending = _ENDINGS[client]
        what, remedy = "this file", f"Rename it to `{name}`."
        if count > 1:
            what, remedy = f"{count} files of this folder", f"Rename them to `*{ending}`."
        message = f"{title} does not read {what}, because it reads `*{ending}` here."
        if client == "cursor":  # its versions differ
            message = f"Cursor perhaps does not read {what}, because its rules are `*.mdc` files."
            if count > 1:
                remedy = f"Rename them to `*.mdc`, each with front matter: {_CURSOR_SCOPES}."
        yield Finding(span, message, remedy)
        return
    front = front_matter(facts.text)
    if client == "cursor" and not front and not facts.text.startswith("---"):
        yield Finding(
            span,
            "This file has no front matter, so Cursor uses it only when somebody mentions it in "
            "the chat.",
            f"Add between two `---` lines at the top: {_CURSOR_SCOPES}.",
            None if _ROLE.match(facts.text) else cursor_fixes(facts)[0],
        )
    if client == "cursor" and "true" in front.get("alwaysapply", ()):
        return  # with every prompt, whatever its globs are
    if field.lower() in front:
        for line in re.finditer(rf"(?im)^{field}[ \t]*:[ \t]*([^\s#].*\\.*)$", facts.text):
            place = Span(*line.span(1))
            mended = re.sub(r"\\+", "/", line[1])
            message = f"{title} matches no file with this, because folders are separated by `/`."
            if client == "claude" and re.search(r'"[^"]*\\', line[1]):
                message = (
                    "In double quotation marks YAML reads `\\` as the beginning of an escape, "
                    f"so {title} cannot read this path."
                )
            title = f"Write `/` in place of each `\\`: `{mended}`"
            yield Finding(place, message, f"{title}.", single_edit_fix(facts, title, place, mended))
        return
    others = {other.field.lower() for other in SCOPE_DIALECTS.values()}
    for key in front:
        if front[key] and (key in others or nearest_word(key, (field,))):
            match = re.search(rf"(?im)^{re.escape(key)}(?=[ \t]*:)", facts.text)
            place = Span(*match.span()) if match else span
            effect = dialect.on_request(front) or "it always applies this file"
            yield Finding(
                place,
                f"{title} does not read `{place.cut(facts.text)}`, so {effect}.",
                f"Write `{field}`.",
                word_fix(facts, place, field),
            )

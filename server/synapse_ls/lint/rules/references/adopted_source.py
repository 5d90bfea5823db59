"""The configuration refers to a file of instructions, or a part of one, that is not there.

## What it does

Reports an `[[adopted]]` of `.synapse/config.toml` whose `path` is no file or folder with rule
files, whose `heading` is not in the file, whose `lines` are behind its end, or which takes
rules that an entry before it takes already. And it names a file that its client applies on request
only, so that its rules are injected for nobody, and one whose globs match more here than in its
client.

## Why it matters

The rules of such an entry reach no agent, and nothing else says so.

## Example

```bad
-- .synapse/config.toml --
[[adopted]]
path = "CLAUDE.md"
heading = "Tests"
-- CLAUDE.md --
# Guide

## Testing

- Run the tests before you commit.
```

```good
-- .synapse/config.toml --
[[adopted]]
path = "CLAUDE.md"
heading = "Testing"
-- CLAUDE.md --
# Guide

## Testing

- Run the tests before you commit.
```

## Evidence

Files of instructions are renamed, split and moved, and what refers to them is forgotten.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from synapse_ls.formats.config_settings import AdoptedSource, Config
from synapse_ls.formats.instruction_rules import read_source
from synapse_ls.formats.instruction_scopes import front_matter, read_scope
from synapse_ls.formats.toml_document import KeyPosition, TomlPath, key_positions
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import unknown_name_finding
from synapse_ls.text.finding import Finding, Text
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.span import Span
from synapse_ls.workspace.adopted_sources import section_lines
from synapse_ls.workspace.tree_domains import Domain

_EFFECT = "no rule of it reaches an agent"


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each reference of the configuration that takes no rule, or rules that
    are taken already.
    """
    if not isinstance(config := facts.document, Config) or not config.adopted:
        return
    where = key_positions(facts.text)
    by_source = group_pairs((d.adopted.number, d) for d in tree.domains if d.adopted)
    taken: list[Domain] = []
    for source in config.adopted:
        key_span = partial(_key_span, where, source)
        domains = by_source.get(source.number, [])
        finding = (
            _find_missing_part(tree, facts, source, domains, key_span)
            if domains
            else _find_missing_file(tree, facts, source, key_span("path"))
        )
        if finding is None and (other := _find_overlap(domains, taken)):
            message = f"The rules of `{other.file}` are taken by an entry before this one already."
            finding = Finding(key_span("path"), message, "Delete one of the two.")
        if finding is not None:
            yield finding
        taken += domains


def _key_span(where: Mapping[TomlPath, KeyPosition], source: AdoptedSource, key: str) -> Span:
    """Return where the value of a key of a source stands, the source where it has no such key."""
    position = where.get(("adopted", source.number, key))
    return position.value if position else source.span


def _find_missing_file(
    tree: Tree, facts: FileFacts, source: AdoptedSource, span: Span
) -> Finding | None:
    folder = f"{source.path}/"
    others = [domain.file or "" for domain in tree.domains if domain.adopted]
    if any(path.startswith(folder) for path in others):
        return None  # its files are taken by entries of their own
    message = f"There is no file `{source.path}` and no folder with rule files, so {_EFFECT}."
    paths = [path for path in tree.snapshot.paths() if "/" not in path or path.endswith(".md")]
    return unknown_name_finding(facts, Text(source.path, span), message, paths, "Correct the path.")


def _find_missing_part(
    tree: Tree,
    config: FileFacts,
    source: AdoptedSource,
    domains: list[Domain],
    key_span: Callable[[str], Span],
) -> Finding | None:
    files = [facts for domain in domains if (facts := tree.snapshot.facts(domain.file or ""))]
    if source.heading and all(section_lines(f.text, source.heading) is None for f in files):
        headings = [
            heading.title
            for facts in files
            for heading in read_source("", facts.text).headings
            if heading.level
        ]
        message = f"`{source.path}` has no heading `{source.heading}`, so {_EFFECT}."
        text = Text(source.heading, key_span("heading"))
        return unknown_name_finding(config, text, message, headings, "Correct the heading.")
    if source.lines and all(source.lines[0] > f.text.count("\n") + 1 for f in files):
        message = f"`{source.path}` has no line {source.lines[0]}, so {_EFFECT}."
        return Finding(key_span("lines"), message, "Correct the lines.")
    on_request = [domain for domain in domains if domain.on_request]
    if on_request and len(on_request) == len(domains):
        message = f"{on_request[0].on_request}, so its rules are injected for nobody."
        remedy = "Say when they count: `always = true`, or `paths`."
        return Finding(key_span("path"), f"{message[:1].upper()}{message[1:]}", remedy)
    if source.always or source.paths:
        return None
    for facts in files:
        if wider := read_scope(facts.path, front_matter(facts.text)).wider:
            message = (
                f"`{facts.path}` counts for more files than in its client: `{wider[0]}` matches "
                "less there."
            )
            return Finding(key_span("path"), message, "Write `paths` with the globs you mean.")
    return None


def _find_overlap(domains: list[Domain], taken: list[Domain]) -> Domain | None:
    """Return the first of the domains with a part of a file that another one has, too."""
    everything = (0, 1 << 30)
    for domain in domains:
        first, last = domain.lines or everything
        for other in taken:
            start, end = other.lines or everything
            if other.file == domain.file and first <= end and start <= last:
                return domain
    return None

"""The comments of a file, by its kind, and the directives in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from synapse_ls.formats import directives, markdown
from synapse_ls.formats.constitution import ConstitutionDocument
from synapse_ls.formats.context import ContextDocument
from synapse_ls.formats.directives import Comments, Directive
from synapse_ls.formats.rules import RulesDocument
from synapse_ls.lint.lookup import once
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.systems import chati

COMMENTS: Mapping[FileKind, Comments] = {
    FileKind.MANIFEST: Comments.HASH,
    **dict.fromkeys(RULE_KINDS, Comments.BOTH),
    FileKind.SQUAD: Comments.HASH,
    FileKind.WORKFLOW: Comments.HASH,
    FileKind.WORKFLOW_STATE: Comments.HASH,
    FileKind.PATTERNS: Comments.HASH,
    FileKind.CHAINS: Comments.HASH,
    FileKind.CONFIG: Comments.HASH,
    FileKind.TESTS: Comments.HASH,
    FileKind.TASK: Comments.MARKUP,
    FileKind.STORY: Comments.MARKUP,
    FileKind.MEMORY: Comments.MARKUP,
    FileKind.IDENTITY: Comments.MARKUP,
    FileKind.SHORT_TERM: Comments.MARKUP,
    FileKind.LONG_TERM: Comments.MARKUP,
    FileKind.MEMORY_INDEX: Comments.MARKUP,
    FileKind.AGENT: Comments.MARKUP,
    FileKind.CONSTITUTION_SOURCE: Comments.MARKUP,
    **dict.fromkeys(chati.YAML_KINDS, Comments.HASH),
    **dict.fromkeys(chati.MARKDOWN_KINDS, Comments.MARKUP),
}
"""The comments that files of a kind have; those of other kinds have none."""

_YAML = ("yaml", "yml")


@once
def directives_of(facts: FileFacts) -> tuple[Directive, ...]:
    """The directives in a file; in Markdown not those of fenced examples."""
    comments = COMMENTS.get(facts.kind)
    if comments is None:
        return ()
    found = directives.find(facts.text, comments)
    if comments is not Comments.MARKUP or not directives.find(facts.text, Comments.BOTH):
        return found
    yaml, fenced = regions(facts.text)
    outside = (d for d in found if not within(d.span.start, (*yaml, *fenced)))
    inside = (d for d in directives.find(facts.text, Comments.HASH) if within(d.span.start, yaml))
    return tuple(sorted((*outside, *inside), key=lambda d: d.span))


def regions(text: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The places of YAML in a Markdown text, and those of its other fenced blocks."""
    outline = markdown.outline(text)
    front = (outline.front,) if outline.front else ()
    yaml = (fence.body for fence in outline.fences if fence.language in _YAML)
    other = (fence.body for fence in outline.fences if fence.language not in _YAML)
    return (*front, *yaml), tuple(other)


def within(offset: int, places: Iterable[Span]) -> bool:
    """Whether an offset lies in one of the places."""
    return any(place.contains(offset) for place in places)


def is_prose(facts: FileFacts) -> bool:
    """Whether the lines of a file belong together as paragraphs do."""
    document = facts.document
    if isinstance(document, ContextDocument | ConstitutionDocument):
        document = document.rules
    if isinstance(document, RulesDocument):
        return document.mode == "plain"
    return COMMENTS.get(facts.kind) is Comments.MARKUP

"""Find comments and their lint directives, and tell prose from YAML and fenced blocks."""

from collections.abc import Iterable, Mapping

from synapse_ls.formats import markdown_outline, suppression_comments
from synapse_ls.formats.suppression_comments import CommentStyle, Directive
from synapse_ls.lint.lint_rule import weak_cache
from synapse_ls.text.span import Span
from synapse_ls.workspace import chati_places
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.tree_domains import rules_mode

_HASH_KINDS = (
    FileKind.MANIFEST, FileKind.SQUAD, FileKind.WORKFLOW, FileKind.WORKFLOW_STATE,
    FileKind.PATTERNS, FileKind.CHAINS, FileKind.CONFIG, FileKind.TESTS, *chati_places.YAML_KINDS,
)  # fmt: skip
_MARKUP_KINDS = (
    FileKind.TASK, FileKind.STORY, FileKind.MEMORY, FileKind.IDENTITY, FileKind.SHORT_TERM,
    FileKind.LONG_TERM, FileKind.MEMORY_INDEX, FileKind.AGENT, FileKind.INSTRUCTIONS,
    FileKind.SYNCED, FileKind.CONSTITUTION_SOURCE, *chati_places.MARKDOWN_KINDS,
)  # fmt: skip
# The comments that files of a kind have; those of other kinds have none.
COMMENT_STYLES: Mapping[FileKind, CommentStyle] = {
    **dict.fromkeys(RULE_KINDS, CommentStyle.BOTH),
    **dict.fromkeys(_HASH_KINDS, CommentStyle.HASH),
    **dict.fromkeys(_MARKUP_KINDS, CommentStyle.MARKUP),
}

_YAML_LANGUAGES = ("yaml", "yml")


@weak_cache
def file_directives(facts: FileFacts) -> tuple[Directive, ...]:
    """Return the lint directives in the comments of a file, in order. Those inside fenced examples
    of a Markdown file are left out.
    """
    if (comments := COMMENT_STYLES.get(facts.kind)) is None:
        return ()
    directives = suppression_comments.find_directives(facts.text, comments)
    if comments is not CommentStyle.MARKUP or not suppression_comments.find_directives(
        facts.text, CommentStyle.BOTH
    ):
        return directives
    yaml, fenced = yaml_and_fenced_regions(facts.text)
    outside = (d for d in directives if not is_within(d.span.start, (*yaml, *fenced)))
    inside = (
        d
        for d in suppression_comments.find_directives(facts.text, CommentStyle.HASH)
        if is_within(d.span.start, yaml)
    )
    return tuple(sorted((*outside, *inside), key=lambda d: d.span))


def yaml_and_fenced_regions(text: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return where a Markdown text has the comment syntax of YAML: the spans of front matter and
    YAML fences, and those of its other fenced blocks.
    """
    outline = markdown_outline.parse_outline(text)
    front = (outline.front,) if outline.front else ()
    yaml = (fence.body for fence in outline.fences if fence.language in _YAML_LANGUAGES)
    other = (fence.body for fence in outline.fences if fence.language not in _YAML_LANGUAGES)
    return (*front, *yaml), tuple(other)


def is_within(offset: int, places: Iterable[Span]) -> bool:
    """Return whether an offset lies in one of the spans with a syntax of comments."""
    return any(place.contains(offset) for place in places)


def is_prose(facts: FileFacts) -> bool:
    """Return whether a file has the comment syntax of prose: consecutive lines form paragraphs, as
    in Markdown and plain rule text.
    """
    if mode := rules_mode(facts.document):
        return mode == "plain"
    return COMMENT_STYLES.get(facts.kind) is CommentStyle.MARKUP

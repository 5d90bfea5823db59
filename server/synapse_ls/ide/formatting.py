"""Format rule files, manifests and ``squad.yaml``, for ``synapse fmt`` and editors.

Only layout changes, so nothing that is injected does: white space around keys, ``=`` and the commas
of a manifest's lists and at line ends, at most one blank line, a final line break. Order, comments,
kind of line breaks, white space inside plain text, fences and multi-line YAML texts stay. Other
files, and a ``squad.yaml`` that is invalid, are left alone.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from synapse_ls.formats import rule_file_lines
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.yaml_tree import YamlNode
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import WHITE_SPACE, Span
from synapse_ls.text.text_edit import TextEdit, apply_edits, line_break_at
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.tree_domains import rules_in, rules_mode

Edits = Iterator[TextEdit]

# The kinds of files that have a format of ours.
FORMATTED_KINDS = frozenset({FileKind.MANIFEST, FileKind.SQUAD, *RULE_KINDS})

_EMPTY_RULE = lazy_pattern(r"\s*[A-Z][A-Z0-9_]*_\d+=\s*")
_FRONT_MATTER = "---"
_YAML_WHITE_SPACE = " \t"


def format_edits(facts: FileFacts, within: Span | None = None) -> tuple[TextEdit, ...]:
    """Return the edits of a formatting, in text order; with ``within`` only those that touch its
    lines.
    """
    if facts.kind not in FORMATTED_KINDS or not facts.is_read:
        return ()
    edits = sorted(_layout_edits(facts), key=lambda edit: edit.span)
    if within is None:
        return tuple(edits)
    lines = facts.lines
    start = lines.line_span(lines.line_of(within.start)).start
    end = lines.line_span(lines.line_of(max(within.start, within.end - 1))).end
    return tuple(edit for edit in edits if start <= edit.span.start and edit.span.end <= end + 2)


def next_rule_edits(facts: FileFacts, offset: int) -> tuple[TextEdit, ...]:
    """Return the edits that number the rule that is begun on an empty line, after the rule on the
    line above: ``DOCS_RULE_4=`` after ``DOCS_RULE_3=…``. Where that one has no text, its key is
    deleted: whoever breaks the line there has no more rules.
    """
    lines, text = facts.lines, facts.text
    line = lines.line_of(offset)
    if facts.kind not in RULE_KINDS or line == 0 or lines.line_span(line).cut(text).strip():
        return ()
    rules = rules_in(facts.document)
    above = next((rule for rule in rules if rule.line == line - 1 and rule.key), None)
    if above is None or above.index is None or not above.text:
        match = _EMPTY_RULE.fullmatch(lines.line_span(line - 1).cut(text))
        return (TextEdit(lines.line_span(line - 1), ""),) if match else ()
    head, digits = above.key[: -len(str(above.index))], str(above.index)
    if not above.key.endswith(digits):
        return ()
    others = (rule.index for rule in rules if rule.key == f"{head}{rule.index}")
    number = max(index for index in others if index is not None) + 1
    return (TextEdit(lines.line_span(line), f"{head}{number}="),)


def format_text(facts: FileFacts) -> str:
    """Return the text of a file after formatting."""
    return apply_edits(facts.text, format_edits(facts))


def _layout_edits(facts: FileFacts) -> Edits:
    """Yield the edits of the layout of a file, in no order."""
    text, document = facts.text, facts.document
    if isinstance(document, Manifest):
        for entry in document.entries:
            yield from _assignment_edits(text, entry.span, entry.key.span, entry.value.span)
            for item, other in pairwise(entry.items):
                gap = Span(item.span.end, other.span.start)
                yield from _replace_text(text, gap, "," * gap.cut(text).count(","))
        yield from _line_end_edits(text)
        yield from _blank_line_edits(text)
    elif isinstance(document, SquadDocument):
        if document.root and not any("yaml" in problem.kind for problem in facts.problems):
            texts = sorted(_multiline_texts(text, document.root))
            yield from _line_end_edits(text, texts, _YAML_WHITE_SPACE)
            yield from _blank_line_edits(text, texts, _YAML_WHITE_SPACE)
    else:
        keyed = [rule for rule in rules_in(document) if rule.key]
        for rule in keyed:
            yield from _assignment_edits(text, rule.span, rule.key_span, rule.text_span)
        # From each fenced line to the next line with text, and from the line before to it.
        lines = rule_file_lines.find_content_lines(text)
        gaps = [Span(line.end, o.start) for line, o in pairwise(lines) if line.block or o.block]
        gaps += [Span(line.end, len(text)) for line in lines[-1:] if line.block]
        yield from _blank_line_edits(text, gaps)
        if keyed and rules_mode(document) in ("", "keyvalue"):
            yield from _line_end_edits(text)


def _assignment_edits(text: str, line: Span, key: Span, value: Span) -> Edits:
    """Yield the edits of the white space before a key, and between the key and its value."""
    if not (indent := Span(line.start, key.start)).cut(text).strip(WHITE_SPACE):
        yield from _replace_text(text, indent, "")
    yield from _replace_text(text, Span(key.end, value.start), "=")


def _line_end_edits(text: str, kept: Sequence[Span] = (), white: str = WHITE_SPACE) -> Edits:
    """Yield the edits that remove white space at the end of lines that have text."""
    for start, end in iter_lines(text):
        last = start + len(text[start:end].rstrip(white))
        if start < last < end and not _any_holds(kept, end):
            yield TextEdit(Span(last, end), "")


def _blank_line_edits(text: str, kept: Sequence[Span] = (), white: str = WHITE_SPACE) -> Edits:
    """Yield the edits that remove blank lines beyond the first of a row and at both ends, and that
    add the last line break.
    """
    spans = [Span(*line) for line in iter_lines(text)]
    bodies = [bool(span.cut(text).strip(white)) for span in spans]
    first = 0
    while first < len(spans):
        if bodies[first]:
            first += 1
            continue
        behind = next((n for n in range(first, len(spans)) if bodies[n]), len(spans))
        if _any_holds(kept, spans[first].start):
            pass
        elif behind == len(spans):
            yield from _replace_text(text, Span(spans[first].start, len(text)), "")
        else:
            # Where it would become front matter, the first line with text stays the second one.
            leading = first == 0 and not text.startswith(_FRONT_MATTER, spans[behind].start)
            if not leading:
                yield from _replace_text(text, spans[first], "")
            start = spans[first if leading else first + 1].start
            yield from _replace_text(text, Span(start, spans[behind].start), "")
        first = behind
    if bodies[-1] and not _any_holds(kept, len(text)):
        yield TextEdit(Span(len(text), len(text)), line_break_at(text, len(text)))


def _multiline_texts(text: str, root: YamlNode) -> Iterator[Span]:
    """Yield the places of YAML's texts of several lines; a block with the blank lines behind it,
    which may count.
    """
    for node in root.walk():
        start, end = node.span
        if node.kind == "scalar" and node.style in ("|", ">"):
            rest = text[end:]
            yield Span(start, end + len(rest) - len(rest.lstrip()) + 1)
        elif node.kind == "scalar" and any(char in text[start:end] for char in "\r\n"):
            yield node.span


def _any_holds(places: Sequence[Span], offset: int) -> bool:
    """Return whether one of ``places``, which are in order, is around ``offset``."""
    before = bisect_right(places, offset, key=lambda place: place.start)
    return before > 0 and offset < places[before - 1].end


def _replace_text(text: str, span: Span, new: str) -> Edits:
    """Yield the edit that makes a place ``new``, unless it is so already."""
    if span.cut(text) != new:
        yield TextEdit(span, new)

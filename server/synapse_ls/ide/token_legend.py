"""The semantic token, and the legend of token types and modifiers that the client gets."""

from __future__ import annotations

from typing import NamedTuple

from synapse_ls.text.span import Span

# What a word is.
#
# namespace: a domain or a squad. property: a setting. keyword: a fixed word of a rule's key, and
# verbs of authority in its text. number: an index or a count. string: a recall or exclusion word, a
# file. regexp: a pattern of files. enum: an article. enumMember: a state, a boolean, a bracket, a
# status, a way to extend. class: an agent. interface: a workflow. function: a star-command or a
# task. event: a phase. struct: a heading. macro: a severity. comment: a comment.
TOKEN_TYPES = (
    "namespace",
    "property",
    "keyword",
    "number",
    "string",
    "regexp",
    "enum",
    "enumMember",
    "class",
    "interface",
    "function",
    "event",
    "struct",
    "macro",
    "comment",
)

# More about it.
#
# declaration: its first mention in the manifest. definition: what defines it for the whole tree.
# readonly: non-negotiable. deprecated: without effect, because it is inactive, repeated or
# shadowed. defaultLibrary: built in.
TOKEN_MODIFIERS = ("declaration", "definition", "readonly", "deprecated", "defaultLibrary")

NO_MODIFIERS: frozenset[str] = frozenset()
DEPRECATED = frozenset({"deprecated"})


class Token(NamedTuple):
    """A word and what it is by the legend, of ``TOKEN_TYPES`` and ``TOKEN_MODIFIERS``."""

    span: Span
    type: str
    modifiers: frozenset[str] = NO_MODIFIERS

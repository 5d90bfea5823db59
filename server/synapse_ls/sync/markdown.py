"""Topics as Markdown, in a shape that the usual formatters leave alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

from synapse_ls.sync.rules import Topic

SOURCE = "These rules are kept in `.synapse/`; change them there, then run `synapse sync`."
BY_HOOK = (
    "The rules of this project come with the prompts, between `<synapse-rules>` and "
    "`</synapse-rules>`. They are kept in `.synapse/`."
)
"""All that is left to say where the hook brings the rules."""

_CODE = re.compile(r"(`+)(?:(?!`).*?[^`])\1(?!`)")
_MENTION = re.compile(r"(?<![\w`@/.])@[\w~./-]*[\w/-]")


def body(topics: Iterable[Topic], *, imports: bool = False, scoped: bool = False) -> str:
    """The topics, after a line that says where they come from.

    ``imports``: the file's reader puts other files in the place of ``@path``, so mentions are set as
    code, which it leaves alone. ``scoped``: it knows from elsewhere which files the rules are about.
    """
    lines = [SOURCE]
    for topic in topics:
        lines += ["", f"## {_safe(topic.heading, imports)}{'' if scoped else _only(topic)}"]
        for group in topic.groups:
            if group.heading:
                lines += ["", f"### {_safe(group.heading, imports)}"]
            if group.rules:
                lines += ["", *(f"- {_safe(rule, imports)}" for rule in group.rules)]
    return "\n".join(lines)


def _only(topic: Topic) -> str:
    globs = ", ".join(f"`{path}`" for path in topic.paths)
    return f" (only for files that match {globs})" if globs else ""


def _safe(text: str, imports: bool) -> str:
    """A rule's text that neither ends the block nor pulls in another file."""
    text = text.replace("<!--", "&lt;!--")
    if not imports or "@" not in text:
        return text
    parts, last = [], 0
    for code in _CODE.finditer(text):
        parts += [_MENTION.sub(r"`\g<0>`", text[last : code.start()]), code[0]]
        last = code.end()
    return "".join((*parts, _MENTION.sub(r"`\g<0>`", text[last:])))

"""Topics as Markdown, in a shape that the usual formatters leave alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

from synapse_ls.engine.profile import Profile
from synapse_ls.sync.rules import Topic

_CODE = re.compile(r"(`+)(?:(?!`).*?[^`])\1(?!`)")
_MENTION = re.compile(r"(?<![\w`@/.])@[\w~./-]*[\w/-]")


def by_hook(profile: Profile) -> str:
    """All that is left to say where the hook brings the rules."""
    opening = profile.layout_in(profile.brackets[0].name).open.strip()
    name = opening[1:].partition(">")[0].partition(" ")[0] if opening.startswith("<") else ""
    where = f", between `<{name}>` and `</{name}>`" if name else ""
    return f"The rules of this project come with the prompts{where}. They are kept in `{profile.home}`."


def body(topics: Iterable[Topic], home: str, *, imports: bool = False, scoped: bool = False) -> str:
    """The topics, after a line that says where they come from: ``home`` is their folder.

    ``imports``: the file's reader puts other files in the place of ``@path``, so mentions are set as
    code, which it leaves alone. ``scoped``: it knows from elsewhere which files the rules are about.
    """
    lines = [f"These rules are kept in `{home}`; change them there, then run `synapse sync`."]
    for topic in topics:
        lines += ["", f"## {_safe(topic.heading, imports)}{'' if scoped else _only(topic)}"]
        for group in topic.groups:
            if group.heading:
                lines += ["", f"### {_safe(group.heading, imports)}"]
            if group.rules:
                mark = "" if group.prose else "- "
                lines += ["", *(f"{mark}{_safe(rule, imports)}" for rule in group.rules)]
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

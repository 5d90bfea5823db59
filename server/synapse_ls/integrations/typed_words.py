"""Tell the words of a person in a prompt from what a client or an editor has put beside them.

What is attached may have any marks of its own. So a text with a mark that the form of its client
does not explain has no words of a person at all: to lose some is harmless, to believe a file is
not.
"""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase

from synapse_ls.text.block_markup import CLIENT_TAGS
from synapse_ls.text.lazy_pattern import lazy_pattern

# What rules may have as a placeholder, and a typed text as it is here.
PLAIN_TAGS = ("browser>", "skill>", "tick>", *(f"wake{end}" for end in "> "))
_TAGS = (*CLIENT_TAGS, *PLAIN_TAGS)
_MARKS = (*(f"<{tag}" for tag in _TAGS), *(f"</{tag}" for tag in _TAGS), "</image>", "</channel>")
_REQUEST = "\n## My request for Codex:"
# How lines begin behind which stands what is attached.
_ATTACHED = ("\n# Context from my IDE setup:", "\n# Files mentioned by the user:")
_HEADINGS = (*_ATTACHED, _REQUEST, "\n--- Content from referenced files ---", "\nContent from @")


def typed_words(text: str, envelope: str = "") -> str:
    """Return the words of a person in a prompt, or in one block of it; "" where a mark in it is not
    explained.

    envelope: the tag that the client puts around what was typed, once, at the beginning or the end.
    """
    lines = f"\n{text.strip()}"
    opening, closing = f"<{envelope}", f"</{envelope}>"
    if envelope and opening in lines:
        before, _, rest = lines.partition(opening)
        inner, end, after = rest.partition(closing)
        is_plain = end and opening not in rest and closing not in before + after
        is_plain = is_plain and (inner[:1] == ">" or inner[:1].isspace())
        if not is_plain or (before.strip() and after.strip()):
            return ""
        text = inner.partition(">")[2].strip()
    elif lines.startswith(_ATTACHED) and lines.count(_REQUEST) == 1:
        text = lines.partition(_REQUEST)[2].strip()
    lines, low = f"\n{text}", text.lower()
    has_tags = "<" in text and any(mark in low for mark in _MARKS)
    if has_tags or any(heading in lines for heading in _HEADINGS):
        return ""
    return _drop_elements(text) if "</" in text else text


_START_TAG = lazy_pattern(r"<([a-z][\w.:-]*)")
_MOST_NAMES = 50  # of elements; a text of more is looked at no further
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def _drop_elements(text: str) -> str:
    """Return a text without elements that have names as clients give them, with ``_`` or ``-``:
    each from the first such tag to the last that ends it, whatever stands between them.
    """
    ends: dict[str, int] = {}
    kept_parts, at, low = list[str](), 0, text.translate(_LOWER)
    for tag in _START_TAG.finditer(low):
        name = tag[1]
        if "-" not in name and "_" not in name:
            continue
        if name not in ends:
            if len(ends) == _MOST_NAMES:
                return ""
            ends[name] = low.rfind(f"</{name}")
        if at <= tag.start() < ends[name]:
            kept_parts.append(text[at : tag.start()])
            at = low.find(">", ends[name]) + 1 or len(text)
    return "".join((*kept_parts, text[at:])).strip()


def typed_blocks(blocks: list[str], envelope: str = "") -> str:
    """Return the words of a person in the texts of a message.

    Of texts with the client's envelope there may be one, which alone counts. Else of several each
    counts that begins with no tag, and a single one unless it begins with a tag such as clients
    have, with ``_`` or ``-`` in its name.
    """
    if envelope and (enveloped := [b for b in blocks if f"<{envelope}" in b]):
        blocks = enveloped if len(enveloped) == 1 else []
    elif len(blocks) > 1:
        blocks = [block for block in blocks if not block.lstrip().startswith("<")]
    else:
        starts = ((block, block.lstrip().partition(">")[0]) for block in blocks)
        blocks = [b for b, start in starts if start[:1] != "<" or not {"_", "-"} & set(start)]
    return "\n".join(filter(None, (typed_words(block, envelope) for block in blocks))).strip()

"""Text that would pass for the block's own markup once it is injected.

Rule text can never close or forge the block or one of its headings; what is found here is
neutralised by the renderer, and its author should hear of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from synapse_ls.text.block import FORGEABLE_TAGS, SECTION_HEADINGS
from synapse_ls.text.span import Span

_TAG = re.compile(rf"<\s*(?:/\s*)?(?:{'|'.join(FORGEABLE_TAGS)})\b", re.IGNORECASE)
_HEADING = re.compile(r"\[(?:" + "|".join(SECTION_HEADINGS).replace(" ", r"\s+") + r")(?=[\]:])")
_BREAK = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]+")


_SORTS = (("tag", _TAG), ("heading", _HEADING), ("break", _BREAK))


def forgeries(text: str, places: Sequence[Span]) -> Iterator[tuple[Span, str]]:
    """The first "tag", "heading" and "break" in each of the ``places`` of ``text``."""
    for what, pattern in _SORTS:
        if pattern.search(text) is None:
            continue
        for place in places:
            match = pattern.search(text, *place)
            if match:
                yield Span(*match.span()), what

"""Where lines break: at ``\\n``, ``\\r\\n`` and a lone ``\\r``, nowhere else (LSP 3.18).

Apart from `synapse_ls.text.lines`, since a prompt may need it and no positions.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def iter_lines(text: str) -> Iterator[tuple[int, int]]:
    """The ``(start, end)`` of every line without its break; a final break opens one last line."""
    size = len(text)
    start = 0
    feed = text.find("\n")
    carriage = text.find("\r")
    while feed >= 0 or carriage >= 0:
        if carriage < 0 or 0 <= feed < carriage:
            yield start, feed
            start = feed + 1
        else:
            yield start, carriage
            start = carriage + (2 if feed == carriage + 1 else 1)
        if 0 <= feed < start:
            feed = text.find("\n", start)
        if 0 <= carriage < start:
            carriage = text.find("\r", start)
    yield start, size

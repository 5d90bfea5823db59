"""A file that rules go to, as it is on disk: its bytes, its text, and what is ours in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from synapse_ls.formats.managed import Managed, parse

_BOM = b"\xef\xbb\xbf"
_OTHERS = (b"\xff\xfe", b"\xfe\xff")
_MOST = 4_000_000  # bytes; no client reads a larger file of rules


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it is read.

    ``real`` is where it is behind links. ``text`` is without byte order mark; bytes that are not
    UTF-8 are kept in it as lone surrogates. ``refused`` says why it is left alone, "" where it is not.
    """

    path: str
    real: Path
    data: bytes | None = None
    text: str = ""
    found: Managed | None = None
    refused: str = ""

    @property
    def newline(self) -> str:
        """The line break of the file: that of its first line; CR only where there is no other.

        It stays the same with our part in the file, which is what takes that out to the byte.
        """
        first = self.text.find("\n")
        if first < 0:
            return "\r" if "\r" in self.text else "\n"
        return "\r\n" if first > 0 and self.text[first - 1] == "\r" else "\n"

    def encoded(self, text: str) -> bytes:
        """The bytes of the file with another text."""
        marked = self.data is not None and self.data.startswith(_BOM)
        return _BOM * marked + text.encode("utf-8", "surrogateescape")

    def broken(self, text: str) -> str:
        """``text`` with the line breaks of the file."""
        return text.replace("\n", self.newline)


def read(root: Path, path: str) -> Document:
    """The file at ``path``, relative to the root."""
    file = root / path
    try:
        real = file.resolve()
        if not real.is_relative_to(root.resolve()):
            return Document(path, real, refused="it is a link that leads out of the project")
        if not file.exists():
            if file.is_symlink():
                return Document(path, real, refused="it is a link that leads to nothing")
            return Document(path, real)
        if not file.is_file():
            return Document(path, real, refused="it is not a file")
        if file.stat().st_size > _MOST:
            return Document(path, real, refused=f"it has more than {_MOST:,} bytes")
        data = file.read_bytes()
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Document(path, file, refused=f"it cannot be read ({reason.lower()})")
    if data.startswith(_OTHERS):
        return Document(path, real, data, refused="it is UTF-16; save it as UTF-8")
    text = data.removeprefix(_BOM).decode("utf-8", "surrogateescape")
    return Document(path, real, data, text, parse(text).document)

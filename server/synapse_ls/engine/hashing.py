"""The identity of a line: eight bytes of its text's BLAKE2 digest, in hexadecimal."""

from __future__ import annotations

try:
    # The extension itself: ``hashlib`` loads OpenSSL, which takes longer than all else here.
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - interpreters without the accelerator
    from hashlib import blake2b


def text_hash(text: str) -> str:
    """The identity of ``text``."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

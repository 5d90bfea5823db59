"""This module computes the hash by which a line is recognised: eight bytes of its text's
BLAKE2 digest, in hexadecimal.
"""

from __future__ import annotations

try:
    # The extension itself: ``hashlib`` loads OpenSSL, which takes longer than all else here.
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - interpreters without the accelerator
    from hashlib import blake2b


def hash_text(text: str) -> str:
    """Returns the hash of ``text``, 16 hexadecimal digits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

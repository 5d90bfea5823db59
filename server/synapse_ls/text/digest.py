"""This module computes short digests of what is compared with what it was before."""

from __future__ import annotations

try:
    # The extension itself: ``hashlib`` loads OpenSSL, which takes a hook longer than all else that
    # hashes need, and stays in a server's memory with 4 MB.
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - interpreters without the accelerator
    from hashlib import blake2b


def hex_digest(data: bytes, size: int) -> str:
    """Returns the BLAKE2 digest of ``size`` bytes, as hexadecimal digits."""
    return blake2b(data, digest_size=size).hexdigest()

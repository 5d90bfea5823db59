"""Short digests that tell whether a text or a byte string has changed.

A text's is 8 bytes of BLAKE2, in hexadecimal; a byte string's is the hash of PEP 552.
"""

from __future__ import annotations

from _imp import source_hash

try:
    # The extension itself: ``hashlib`` loads OpenSSL, which takes a hook longer than all else that
    # hashes need, and stays in a server's memory with 4 MB.
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - interpreters without the accelerator
    from hashlib import blake2b


def hex_digest(data: bytes, size: int) -> str:
    """Return the BLAKE2 digest of ``size`` bytes, as hexadecimal digits."""
    return blake2b(data, digest_size=size).hexdigest()


DIGEST_BYTES = 8  # bytes of a hash or digest
_DIGEST_KEY = 0x53594E


def hash_text(text: str) -> str:
    """Return the identity of ``text``, its hash, 16 hexadecimal digits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def digest_of(data: bytes) -> bytes:
    """Return the digest, the identity of a byte string, which tells it from what a damaged disk has
    made of it.

    It is the hash by which Python itself tells sources apart (PEP 552): five times as fast as
    BLAKE2, and no protection from anybody who may write the file.
    """
    return source_hash(_DIGEST_KEY, data)

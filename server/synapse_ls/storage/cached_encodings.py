"""This module finds the encodings that tiktoken (an extra) has on this machine."""

from __future__ import annotations

import os
import tempfile

from synapse_ls.compaction.encoding_counter import EncodingCounter
from synapse_ls.compaction.token_counter import TokenCounter

_PLACE = "https://openaipublic.blob.core.windows.net"
_FILES = {
    "o200k_base": ("encodings/o200k_base.tiktoken",),
    "o200k_harmony": ("encodings/o200k_base.tiktoken",),
    "cl100k_base": ("encodings/cl100k_base.tiktoken",),
    "p50k_base": ("encodings/p50k_base.tiktoken",),
    "p50k_edit": ("encodings/p50k_base.tiktoken",),
    "r50k_base": ("encodings/r50k_base.tiktoken",),
    "gpt2": ("gpt-2/encodings/main/vocab.bpe", "gpt-2/encodings/main/encoder.json"),
}


def find_counter(name: str = "o200k_base") -> TokenCounter:
    """Returns a counter by the encoding of tiktoken with this name, where it can be had without a
    network: tiktoken is installed, and has the encoding's file in its cache (``TIKTOKEN_CACHE_DIR``).
    Else returns the estimate, a plain `TokenCounter`. A file that is damaged tiktoken fetches anew. Raises ValueError for a name that is none.
    """
    if name not in _FILES:
        raise ValueError(f"there is no encoding {name}, only {', '.join(_FILES)}")
    if not all(map(_is_cached, _FILES[name])):
        return TokenCounter()
    try:
        import tiktoken

        return EncodingCounter(tiktoken.get_encoding(name))
    except (ImportError, OSError, ValueError):
        return TokenCounter()


def _is_cached(path: str) -> bool:
    """Tells whether tiktoken has a file; under a name that is made of where it was from."""
    from hashlib import sha1  # only here: it loads OpenSSL

    usual = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    names = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
    folder = next((os.environ[name] for name in names if name in os.environ), usual)
    key = sha1(f"{_PLACE}/{path}".encode(), usedforsecurity=False).hexdigest()
    return bool(folder) and os.path.isfile(os.path.join(folder, key))

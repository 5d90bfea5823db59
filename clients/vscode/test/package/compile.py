"""Compiles the modules that a start of the packaged server imports, for the Python that runs this.

    python -I -S compile.py FOLDER CACHE

CACHE is what ``handshake.py`` has left there: it says which modules these are. Their bytecode comes to lie beside them, and
does not ask whether they have changed (PEP 552, unchecked): nobody edits what comes with an extension, and an archive may
lose the time at which a file was written, which is what Python compares else.
"""

import importlib.util
import py_compile
import sys
from pathlib import Path


def main(folder, cache):
    compiled = 0
    for source in sorted(folder.rglob("*.py")):
        place = Path(importlib.util.cache_from_source(source.name)).name
        if (cache / source.parent.relative_to("/") / place).exists():
            py_compile.compile(
                str(source),
                dfile=source.relative_to(folder).as_posix(),
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
            compiled += 1
    return compiled


if not main(*(Path(name).resolve() for name in sys.argv[1:])):
    sys.exit("no bytecode was found of what the server imports")

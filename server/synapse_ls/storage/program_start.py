"""Run what agent clients start, with all of it loaded from the bundle, and make installed libraries
importable in a process that was started without them.
"""

from __future__ import annotations

import sys

from synapse_ls.text import lazy_import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from synapse_ls.storage.bytecode_bundle import Bundle


def enable_site_packages() -> None:
    """Make installed libraries importable where the hook was started without them (``-S``)."""
    if sys.flags.no_site and "site" not in sys.modules:
        import site

        site.main()


def run_bundled(bundle: Bundle, name: str, arguments: list[str], *more: str) -> int:
    """Call ``main`` of the module ``name`` with ``arguments`` and ``more``, and return the exit
    code.

    A process that had to import modules from their sources puts them into the bundle when it is
    done.
    """
    status: int = lazy_import.load_module(name).main(arguments, *more)
    if not bundle.is_complete and not sys.dont_write_bytecode:
        try:
            from synapse_ls.storage.bundle_writer import save_imported

            save_imported(bundle)
        except Exception:
            # The reply stands; damaged bytecode of what writes the file must not add to it.
            return status
    return status


def run_and_exit(bundle: Bundle, name: str, arguments: list[str], *more: str) -> NoReturn:
    """Do what `run_bundled` does, alone in its process, and end the process at once. It frees
    nothing, which would take a fifth of its time.
    """
    lazy_import.use_loader(bundle.load)
    status = run_bundled(bundle, name, arguments, *more)
    import os  # loaded by then, with much else

    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)

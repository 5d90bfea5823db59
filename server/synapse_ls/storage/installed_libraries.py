"""This module makes installed libraries importable in a process that was started without them."""

from __future__ import annotations

import sys


def enable_site_packages() -> None:
    """Makes installed libraries importable where the hook was started without them (``-S``)."""
    if sys.flags.no_site and "site" not in sys.modules:
        import site

        site.main()

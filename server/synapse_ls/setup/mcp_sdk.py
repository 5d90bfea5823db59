"""This module checks whether the SDK of the Model Context Protocol is installed, without
importing it, which takes long.
"""

from __future__ import annotations

from importlib.util import find_spec

OLDEST_VERSION = (2, 3)
INSTALL_REMEDY = 'Install it with `pip install "synapse-ls[mcp]"`.'


def sdk_problem() -> str:
    """Returns why ``synapse mcp`` cannot run, as a sentence; "" where it can."""
    if find_spec("mcp") is None:
        return "The SDK of the Model Context Protocol is not installed."
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("mcp")
    except PackageNotFoundError:
        return "There is a module mcp, but it is not the SDK of the Model Context Protocol."
    numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdecimal())
    if numbers < OLDEST_VERSION:
        wanted = ".".join(map(str, OLDEST_VERSION))
        return f"The SDK of the Model Context Protocol is {found}, older than {wanted}."
    return ""

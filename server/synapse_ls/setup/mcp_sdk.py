"""Whether the SDK of the Model Context Protocol is installed, without importing it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

OLDEST_VERSION = (2, 3)
INSTALL_REMEDY = (
    'Install it with `pipx install --force "FOLDER[mcp]"` (the folder of the checkout), or with '
    '`pip install "mcp<3"` for the Python that runs this.'
)


def sdk_problem() -> str:
    """Return what is wrong with the SDK of MCP, so that ``synapse mcp`` cannot run, as a sentence;
    "" where it can.
    """
    if find_spec("mcp") is None:
        return "The SDK of the Model Context Protocol is not installed."
    version = _installed_version()
    if not version:
        return "There is a module mcp, but it is not the SDK of the Model Context Protocol."
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
    if numbers < OLDEST_VERSION:
        wanted = ".".join(map(str, OLDEST_VERSION))
        return f"The SDK of the Model Context Protocol is {version}, older than {wanted}."
    return ""


def _installed_version() -> str:
    """Return the version of the distribution, "" where there is none of that name.

    Its name stands on the folder beside the package; ``importlib.metadata`` costs a tenth of the
    start of a language server and is asked only where that folder is elsewhere.
    """
    spec = find_spec("mcp")
    for package in (spec and spec.submodule_search_locations) or ():
        for folder in Path(package).parent.glob("mcp-*.dist-info"):
            return folder.name.removeprefix("mcp-").removesuffix(".dist-info")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mcp")
    except PackageNotFoundError:
        return ""

"""Whether the SDK of the Model Context Protocol is installed, without importing it."""

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
    if (spec := find_spec("mcp")) is None:
        return "The SDK of the Model Context Protocol is not installed."
    # Its version stands on the folder beside the package; `importlib.metadata` costs a tenth of the
    # start of a language server and is asked only where that folder is elsewhere.
    version = ""
    for package in spec.submodule_search_locations or ():
        for folder in Path(package).parent.glob("mcp-*.dist-info"):
            version = version or folder.name.removeprefix("mcp-").removesuffix(".dist-info")
    if not version:
        from importlib import metadata

        try:
            version = metadata.version("mcp")
        except metadata.PackageNotFoundError:
            return "There is a module mcp, but it is not the SDK of the Model Context Protocol."
    if tuple(int(part) for part in version.split(".")[:2] if part.isdecimal()) < OLDEST_VERSION:
        oldest = ".".join(map(str, OLDEST_VERSION))
        return f"The SDK of the Model Context Protocol is {version}, older than {oldest}."
    return ""

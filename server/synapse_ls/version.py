"""The version and addresses of this distribution, which packaging reads, too.

Asking ``importlib.metadata`` would cost a tenth of a bare language server's start.
"""

VERSION = "0.1.0"

# The public address of the repository, without a slash at its end; "" while there is none, and then
# nothing names one: package metadata, reports of the linter, the extension, and links of its page.
REPOSITORY = ""


def page_address(path: str, repository: str = REPOSITORY) -> str:
    """Return the public address of a file of this version; "" where there is none."""
    return f"{repository}/blob/v{VERSION}/{path}" if repository else ""


def content_address(path: str, repository: str = REPOSITORY) -> str:
    """Return the public address of what is in a file of this version, as programs fetch it; ""
    where there is none.
    """
    return f"{repository}/raw/v{VERSION}/{path}" if repository else ""

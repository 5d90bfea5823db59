"""This module makes what a package index shows: the README with links that work there, and addresses.

Hatchling calls `Metadata` when it builds (https://hatch.pypa.io/latest/plugins/metadata-hook/custom/).
"""

from __future__ import annotations

import posixpath
import re
import runpy
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")


def published_readme(text: str, repository: str, version: str, folder: str = "") -> str:
    """Returns the README of a folder for a page elsewhere: links to files become public addresses, or
    plain words while there is no address; pictures without one are left out.
    """

    def replace(link: re.Match[str]) -> str:
        mark, words, target = link.groups()
        if repository:
            kind = "raw" if mark else "blob"
            path = posixpath.normpath(posixpath.join(folder, target))
            return f"{mark}[{words}]({repository}/{kind}/v{version}/{path})"
        return "" if mark else words

    return re.sub(r"\n{3,}", "\n\n", _LINK.sub(replace, text))


class Metadata(MetadataHookInterface):
    """A Metadata fills in what pyproject.toml leaves open."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds the page and the addresses to the metadata."""
        root = Path(self.root)
        values = runpy.run_path(str(root / "server" / "synapse_ls" / "version.py"))
        repository, version = values["REPOSITORY"], values["VERSION"]
        text = published_readme((root / "README.md").read_text("utf-8"), repository, version)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        if repository:
            metadata["urls"] = {
                "Repository": repository,
                "Changelog": f"{repository}/blob/v{version}/CHANGELOG.md",
                "Issues": f"{repository}/issues",
            }

"""What a release is made of agrees: versions, the public address, and what a package index shows."""

from __future__ import annotations

import json
import re
import runpy
import tomllib
from pathlib import Path

import pytest

from synapse_ls.version import REPOSITORY, VERSION, content_address, page_address

ROOT = Path(__file__).parent.parent
EXTENSION = ROOT / "clients" / "vscode" / "package.json"
published_readme = runpy.run_path(str(ROOT / "scripts" / "hatch_metadata.py"))["published_readme"]


def test_the_extension_has_the_version_of_the_server() -> None:
    assert json.loads(EXTENSION.read_text("utf-8"))["version"] == VERSION


def test_the_extension_names_the_public_address_or_none() -> None:
    named = json.loads(EXTENSION.read_text("utf-8")).get("repository", {}).get("url", "")
    assert named == REPOSITORY


def test_the_changelog_begins_with_the_version() -> None:
    first = re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert first is not None and first[1] == VERSION


def test_a_file_has_an_address_once_there_is_one() -> None:
    assert page_address("docs/a.md", "") == ""
    assert page_address("docs/a.md", "https://x.example/r").endswith(
        f"/r/blob/v{VERSION}/docs/a.md"
    )
    assert content_address("docs/a.json", "") == ""
    assert content_address("docs/a.json", "https://x.example/r").endswith(
        f"/r/raw/v{VERSION}/docs/a.json"
    )


@pytest.mark.parametrize(
    ("text", "elsewhere", "nowhere"),
    [
        ("[a](docs/a.md)", "[a](https://x.example/r/blob/v1/docs/a.md)", "a"),
        ("![a](docs/a.png)", "![a](https://x.example/r/raw/v1/docs/a.png)", ""),
        ("[a](https://b.example)", "[a](https://b.example)", "[a](https://b.example)"),
        ("[a](#b)", "[a](#b)", "[a](#b)"),
    ],
)
def test_links_of_the_readme_work_on_the_page_of_a_package(
    text: str, elsewhere: str, nowhere: str
) -> None:
    assert published_readme(text, "https://x.example/r", "1") == elsewhere
    assert published_readme(text, "", "1") == nowhere


def test_pictures_of_the_extensions_page_are_those_of_the_documentation() -> None:
    text = (ROOT / "clients" / "vscode" / "README.md").read_text("utf-8")
    page = published_readme(text, "https://x.example/r", "1", "clients/vscode")
    pictures = re.findall(r"!\[[^\]]+\]\((\S+)\)", page)
    assert pictures
    for address in pictures:
        assert address.startswith("https://x.example/r/raw/v1/docs/images/")
        assert (ROOT / address.partition("/raw/v1/")[2]).is_file()
    assert "![" not in published_readme(text, "", "1", "clients/vscode")


def test_the_lock_has_each_dependency_with_its_hashes() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    locked = (ROOT / "scripts" / "requirements.lock").read_text("utf-8")
    parts = re.split(r"^(?=[a-z])", locked, flags=re.MULTILINE)[1:]
    named = {re.split(r"==", part)[0] for part in parts}
    assert {re.split(r"[^\w.-]", name)[0].replace(".", "-") for name in wanted} <= named
    assert all("--hash=sha256:" in part for part in parts)
    assert "://" not in locked


def test_what_a_release_hands_on_was_attested_before() -> None:
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    assert "attest-build-provenance@" in workflow and "attestations: write" in workflow
    assert workflow.count("needs: provenance\n") == 3
    assert "synapse-ls.cdx.json" in (ROOT / "scripts" / "release").read_text("utf-8")


@pytest.mark.parametrize(
    "path", ["action.yml", *sorted((ROOT / ".github/workflows").glob("*.yml"))]
)
def test_every_action_is_pinned_to_a_commit(path: Path | str) -> None:
    uses = re.findall(r"uses: (\S+)", (ROOT / path).read_text("utf-8"))
    assert [use for use in uses if not re.search(r"@[0-9a-f]{40}$", use)] == []

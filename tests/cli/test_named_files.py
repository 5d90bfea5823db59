"""Files that a person names on the command line, where the project may have put a link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--output-file", "out/report.json"),
        ("check", "--write-baseline", "out/report.json"),
        ("compact", "history.json", "--out", "out/report.json"),
    ],
)
@pytest.mark.parametrize("link", ["out", "out/report.json"])
def test_a_named_file_is_not_written_through_a_link_out_of_the_project(
    synapse: Synapse, team: Path, tmp_path: Path, words: tuple[str, ...], link: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (team / "history.json").write_text('[{"role": "user", "content": "Hello"}]')
    place = team / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(outside if link == "out" else outside / "report.json")
    done = synapse(*words)
    assert done.code == 2
    assert "a link that leads out of the project" in done.err
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "mark"),
    [
        (("log", "--export"), ".git"),
        (("log", "--export"), ""),
        (("check", "--output-file"), ".synapse"),
        (("check", "--write-baseline"), ".synapse"),
    ],
)
@pytest.mark.parametrize("folder", ["", "app/sub"])
@pytest.mark.parametrize("link", ["report.json", "out"])
def test_nor_from_another_folder(
    synapse: Synapse,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    mark: str,
    folder: str,
    link: str,
) -> None:
    app, outside = tmp_path / "app", tmp_path / "outside"
    (app / "sub").mkdir(parents=True)
    (outside / ".git").mkdir(parents=True)
    (app / mark).mkdir(exist_ok=True)
    (app / link).symlink_to(outside if link == "out" else outside / "report.json")
    monkeypatch.chdir(tmp_path / folder)
    file = app / link / "report.json" if link == "out" else app / link
    root = ("--root", str(app)) if folder or mark else ()
    done = synapse(*root, *words, os.path.relpath(file))
    assert done.code == 2
    assert "a link that leads out of the project" in done.err
    assert [path.name for path in outside.iterdir()] == [".git"]


def test_a_link_within_the_repository_is_written_through(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".git", "build", "sub"):
        (team / name).mkdir(exist_ok=True)
    (team / "sub/report.json").symlink_to("../build/report.json")
    monkeypatch.chdir(team / "sub")
    synapse("check", "--format", "json", "--output-file", "report.json")
    assert (team / "build/report.json").exists()


def test_a_named_file_outside_of_the_project_is_written(
    synapse: Synapse, team: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/link").symlink_to(tmp_path / "report.json")
    synapse("check", "--format", "json", "--output-file", str(tmp_path / "other/link"))
    assert '"SYN404"' in (tmp_path / "report.json").read_text()

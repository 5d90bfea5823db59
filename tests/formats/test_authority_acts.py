"""Acts that sentences of authority boundaries name in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.act_commands import PUBLISH, RELEASE, commands_for_act
from synapse_ls.formats.authority_boundary import (
    act_patterns,
    names_stories,
    story_sections,
)

STORIES = ("docs/stories/**",)


@pytest.mark.parametrize(
    ("sentence", "patterns"),
    [
        ("PR creation and merge", ("gh pr create", "gh pr merge")),
        ("Creating pull requests", ("gh pr create",)),
        ("merging PRs", ("gh pr merge",)),
        ("Pull request management", ("gh pr create", "gh pr merge")),
        ("open/submit MRs", ("gh pr create",)),
        ("push to remote", ("git push",)),
        ("Pushing code directly to origin", ("git push",)),
        ("committing", ("git commit",)),
        ("commit and push", ("git push", "git commit")),
        ("version tags", ("git tag --create",)),
        ("push tags", ("git tag --create",)),
        ("Release management", (*commands_for_act(RELEASE), *commands_for_act(PUBLISH))),
        (
            "releases and tags",
            ("git tag --create", *commands_for_act(RELEASE), *commands_for_act(PUBLISH)),
        ),
        ("publish packages", commands_for_act(PUBLISH)),
        ("create or modify stories", ("write docs/stories/**",)),
        ("Story file updates (AC, scope, title)", ("write docs/stories/**",)),
    ],
)
def test_an_act_is_known_in_many_words(sentence: str, patterns: tuple[str, ...]) -> None:
    assert act_patterns(sentence, STORIES) == patterns


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Release notes",
        "Story template selection",
        "Story context tracking in epics",
        "stories",
        "packages",
        "Push notifications",
        "merge conflicts of branches",
        "Commit messages",
        "tagged unions",
        "Pull data",
        "git push",
        "git tag management",
        "Code implementation",
        "(push to remote)",
        "code",
    ],
)
def test_a_sentence_that_says_something_else_is_none(sentence: str) -> None:
    assert act_patterns(sentence, STORIES) == ()


def test_stories_are_in_each_of_their_folders() -> None:
    found = act_patterns("edit stories", ("docs/stories/**", "plans/**"))
    assert found == ("write docs/stories/**", "write plans/**")
    assert act_patterns("edit stories") == ()


@pytest.mark.parametrize(
    "sentence", ["the QA Results section of a Story", "STORIES", "user-story story"]
)
def test_a_sentence_about_stories_is_known(sentence: str) -> None:
    assert names_stories(sentence)


@pytest.mark.parametrize("sentence", ["", "history", "storyboards", "storybook"])
def test_a_word_that_holds_the_same_letters_is_no_story(sentence: str) -> None:
    assert not names_stories(sentence)


@pytest.mark.parametrize(
    ("sentence", "sections"),
    [
        ('modify "QA Results" section in stories', ("QA Results",)),
        ("modify code files, tests, and Dev Agent Record in stories", ("Dev Agent Record",)),
        ("update the QA Results section of story files", ("QA Results",)),
        (
            "Story file updates (File List, checkboxes, Dev Agent Record sections only)",
            ("File List", "checkboxes", "Dev Agent Record"),
        ),
        ("Story file updates (AC, scope)", ()),
        ("edit stories", ()),
        ('modify the "Notes" section of files', ()),
    ],
)
def test_sections_of_stories_are_known(sentence: str, sections: tuple[str, ...]) -> None:
    assert story_sections(sentence) == sections


@given(st.text())
def test_any_text_names_known_acts_or_none(text: str) -> None:
    for pattern in act_patterns(text, STORIES):
        assert pattern.split()[0] in ("git", "gh", "write", "npm", "cargo", "twine", "gem", "uv")

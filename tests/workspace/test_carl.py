"""Which of two homes is served, on disk and as files come and go."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree, refresh_tree
from synapse_ls.workspace.tree_search_upward import search_tree
from tests.carl_trees import BAND, BAND_V2
from tests.trees import write_tree
from tests.workspace.test_refresh import same
from tests.workspace.trees import first_changed_path

SYNAPSE = {
    ".synapse/manifest": "GLOBAL_STATE=active\n",
    ".synapse/global": "GLOBAL_RULE_0=Answer in English\n",
}


def tree(loaded: LoadedTree) -> Tree:
    return Tree(loaded.index.snapshot())


def served(root: Path, profile: str = "") -> tuple[str, str, tuple[str, ...]]:
    """The profile, the folder and the files that are read."""
    found = tree(load_tree(str(root), LoadScope.ALL, profile=profile))
    return found.profile, found.folder, found.snapshot.paths()


def test_a_tree_of_carl_is_found_from_below(tmp_path: Path) -> None:
    write_tree(tmp_path, BAND)
    (tmp_path / "src").mkdir()
    assert search_tree(str(tmp_path / "src"), home="/nowhere").root == str(tmp_path)


def test_a_folder_of_carl_without_a_manifest_is_no_tree(tmp_path: Path) -> None:
    write_tree(tmp_path, {".carl/global": "GLOBAL_RULE_0=x\n", ".git/HEAD": "x\n"})
    assert search_tree(str(tmp_path), home="/nowhere").root is None


def test_a_tree_of_carl_is_served_by_its_profile(tmp_path: Path) -> None:
    profile, folder, paths = served(write_tree(tmp_path, BAND))
    assert (profile, folder) == ("carl", ".carl")
    assert paths == tuple(sorted(BAND))


def test_the_one_file_of_v2_counts_before_those_of_v1(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {**BAND, **BAND_V2})
    found = tree(load_tree(str(root), LoadScope.ALL))
    assert (found.profile, found.manifest_path) == ("carl-v2", ".carl/carl.json")
    assert {domain.file for domain in found.domains} == {".carl/carl.json"}


def test_carl_sleeps_beside_rules_of_synapse(tmp_path: Path) -> None:
    profile, folder, paths = served(write_tree(tmp_path, {**BAND, **SYNAPSE}))
    assert (profile, folder) == ("synapse", ".synapse")
    assert paths == tuple(sorted(SYNAPSE))


def test_a_profile_that_is_asked_for_wakes_its_folder(tmp_path: Path) -> None:
    _, folder, paths = served(write_tree(tmp_path, {**BAND, **SYNAPSE}), "carl")
    assert folder == ".carl"
    assert paths == tuple(sorted(BAND))


def test_the_configuration_decides_between_two_homes(tmp_path: Path) -> None:
    settings = {".synapse/config.toml": 'profile = "carl"\n'}
    _, folder, paths = served(write_tree(tmp_path, {**BAND, **SYNAPSE, **settings}))
    assert folder == ".carl"
    assert paths == tuple(sorted({**BAND, **settings}))


@pytest.mark.parametrize("scope", LoadScope)
def test_rules_of_synapse_take_over_as_soon_as_there_are_some(
    tmp_path: Path, scope: LoadScope
) -> None:
    root = write_tree(tmp_path, BAND)
    loaded = load_tree(str(root), scope)
    write_tree(root, SYNAPSE)
    assert first_changed_path(str(root), loaded.stamps) is not None
    refresh_tree(loaded, sorted(SYNAPSE))
    assert tree(loaded).folder == ".synapse"
    same(loaded, root)


def test_carl_takes_over_again_when_they_are_gone(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {**BAND, **SYNAPSE})
    loaded = load_tree(str(root), LoadScope.ALL)
    for path in SYNAPSE:
        (root / path).unlink()
    refresh_tree(loaded, sorted(SYNAPSE))
    assert tree(loaded).folder == ".carl"
    same(loaded, root)


def test_a_profile_in_the_configuration_takes_effect_at_once(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {**BAND, **SYNAPSE})
    loaded = load_tree(str(root), LoadScope.ALL)
    write_tree(root, {".synapse/config.toml": 'profile = "carl"\n'})
    refresh_tree(loaded, [".synapse/config.toml"])
    assert tree(loaded).folder == ".carl"
    same(loaded, root)


def test_domains_are_found_under_carls_names_only(tmp_path: Path) -> None:
    files = {
        ".carl/manifest": "SET_LIST_STATE=active\nSOUND_CHECK_STATE=active\nFOH_STATE=active\n",
        ".carl/set_list": "SET_LIST_RULE_0=a\n",
        ".carl/sound-check": "SOUND_CHECK_RULE_0=b\n",
        ".carl/foh.env": "FOH_RULE_0=c\n",
    }
    found = tree(load_tree(str(write_tree(tmp_path, files)), LoadScope.ALL))
    assert {domain.name: domain.file for domain in found.domains} == {
        "SET_LIST": ".carl/set_list",
        "SOUND_CHECK": None,
        "FOH": ".carl/foh.env",
    }
    assert found.orphan_files == (".carl/sound-check",)


def test_what_carl_installs_to_be_copied_is_nobodys_file(tmp_path: Path) -> None:
    files = {**BAND, ".carl/example-custom-domain": "EXAMPLE_RULE_0=x\n", ".carl/README.md": "x\n"}
    assert served(write_tree(tmp_path, files))[2] == tuple(sorted(BAND))


def test_sessions_of_carl_are_no_part_of_the_tree(tmp_path: Path) -> None:
    files = {**BAND, ".carl/sessions/a.json": "{}\n"}
    assert served(write_tree(tmp_path, files))[2] == tuple(sorted(BAND))


ODD = {
    ".carl/manifest": """\
        README_ALWAYS_ON=true
        NOTICE_STATE=active
        NOTICE_RECALL=legal
        _HOUSE_ALWAYS_ON=true
        """,
    ".carl/readme": "README_RULE_0=Read this\n",
    ".carl/notice.env": "NOTICE_RULE_0=Keep the notices\n",
    ".carl/_house": "_HOUSE_RULE_0=Shoes off\n",
    ".carl/license": "LICENSE_RULE_0=Nobody named it\n",
    ".carl/changelog": "What changed\n",
}


@pytest.mark.parametrize("scope", LoadScope)
def test_what_the_manifest_names_is_read_whatever_its_name(
    tmp_path: Path, scope: LoadScope
) -> None:
    found = tree(load_tree(str(write_tree(tmp_path, ODD)), scope))
    assert {domain.name: domain.file for domain in found.domains} == {
        "README": ".carl/readme",
        "NOTICE": ".carl/notice.env",
        "_HOUSE": ".carl/_house",
    }
    assert [rule.text for domain in found.domains for rule in found.rules_of(domain)] == [
        "Read this",
        "Keep the notices",
        "Shoes off",
    ]


def test_what_it_does_not_name_is_nobodys(tmp_path: Path) -> None:
    found = tree(load_tree(str(write_tree(tmp_path, ODD)), LoadScope.ALL))
    assert not found.orphan_files
    assert found.snapshot.facts(".carl/license") is None


def test_a_file_is_read_as_soon_as_the_manifest_names_it(tmp_path: Path) -> None:
    loaded = load_tree(str(write_tree(tmp_path, ODD)), LoadScope.ALL)
    write_tree(tmp_path, {".carl/manifest": "LICENSE_ALWAYS_ON=true\n"})
    refresh_tree(loaded, [".carl/manifest"])
    assert tree(loaded).snapshot.paths() == (".carl/license", ".carl/manifest")
    same(loaded, tmp_path)


def test_a_change_of_such_a_file_is_seen(tmp_path: Path) -> None:
    loaded = load_tree(str(write_tree(tmp_path, ODD)), LoadScope.ALL)
    write_tree(tmp_path, {".carl/readme": "README_RULE_0=Read that\n"})
    refresh_tree(loaded, [".carl/readme"])
    assert tree(loaded).rules_of(tree(loaded).domains[0])[0].text == "Read that"


def test_no_name_leads_out_of_the_folder_or_to_what_is_hidden(tmp_path: Path) -> None:
    files = {".carl/manifest": "../X_STATE=active\n.Y_STATE=active\nA/README_STATE=active\n"}
    write_tree(tmp_path, {**files, "x": "X_RULE_0=x\n", ".carl/.y": ".Y_RULE_0=y\n"})
    write_tree(tmp_path, {".carl/a/readme": "A/README_RULE_0=z\n"})
    assert served(tmp_path)[2] == (".carl/manifest",)

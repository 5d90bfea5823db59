"""Squads: their names, their components, and how they meet the root."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.tree_loader import load_tree, refresh_tree
from tests.lint.clean import check_disk, findings, write
from tests.trees import tree_of

ETL = "squads/etl-squad"
HEAD = "name: etl-squad\nversion: 1.0.0\n"


def squads(files: dict[str, str], *codes: str) -> list[str]:
    return findings(files, select=codes or ["SYN6"])


def with_components(components: str, *present: str) -> list[str]:
    files = {f"{ETL}/{path}": "# x\n" for path in present}
    yaml = f"{HEAD}components: {{{components}}}\n"
    return squads({f"{ETL}/squad.yaml": yaml, **files}, "SYN605")


def test_listed_files_that_are_there_are_no_finding() -> None:
    listed = "agents: [a.md], tasks: [b.md], workflows: [c.yml], checklists: [d.md], tools: [e.js]"
    present = ("agents/a.md", "tasks/b.md", "workflows/c.yml", "checklists/d.md", "tools/e.js")
    assert with_components(listed, *present) == []


@pytest.mark.parametrize("name", ["a", "agents/a.md", "./a.md", "'a.md'"])
def test_a_component_may_be_written_in_several_ways(name: str) -> None:
    assert with_components(f"agents: [{name}]", "agents/a.md") == []


@pytest.mark.parametrize("path", ["tasks/a.yaml", "workflows/a.md", "agents/a.yml"])
def test_a_component_may_have_the_extension_of_another_kind(path: str) -> None:
    kind = path.partition("/")[0]
    assert with_components(f"{kind}: [a]", path) == []
    assert with_components(f"{kind}: [{path}]", path) == []
    assert with_components(f"{kind}: [beta]", path) == ["SYN605 beta"]


def test_a_component_may_lie_in_a_folder_of_its_own() -> None:
    assert with_components("templates: [mail/a.html]", "templates/mail/a.html") == []


@pytest.mark.parametrize("name", ["'*.md'", "'{name}.md'", "_draft.md", "README.md"])
def test_patterns_gaps_and_what_is_never_read_are_passed_over(name: str) -> None:
    assert with_components(f"agents: [{name}]") == []


def test_components_of_unknown_kinds_are_passed_over() -> None:
    assert with_components("songs: [a.mp3]") == []


def test_a_component_of_another_kind_is_missing() -> None:
    assert with_components("agents: [a.md]", "tasks/a.md") == ["SYN605 a.md"]


def test_many_missing_components_are_one_finding_beside_those_that_can_be_mended() -> None:
    listed = "tasks: [one.md, two.md, three.md, four.md, five.md, loder.md]"
    assert with_components(listed, "tasks/loader.md") == ["SYN605 one.md", "SYN605 loder.md"]


def test_missing_components_of_all_kinds_have_one_cause() -> None:
    listed = "{tasks: [a.md, b.md], templates: [c.md], scripts: [d.sh], agents: [loader.md]}"
    files = {f"{ETL}/squad.yaml": f"{HEAD}components: {listed}\n", f"{ETL}/agents/loader.md": ""}
    (found,) = lint_tree(tree_of(files), select=["SYN605"])
    assert "4 components that are listed have no file" in found.message
    assert "in `tasks/` `a.md`, `b.md`; in `templates/` `c.md`" in found.message
    assert len(found.related) == 3


def test_fields_in_and_beside_squad_are_both_read() -> None:
    yaml = "squad: {name: etl, version: 1.0.0}\ncomponents: {tasks: [load.md]}\n"
    found = lint_tree(tree_of({f"{ETL}/squad.yaml": yaml}), select=["SYN601", "SYN605"])
    assert [(one.code, one.remedy) for one in found] == [
        ("SYN601", "Move the fields of `squad` out to the top level."),
        ("SYN605", "Create that file, or delete `load.md` from this list."),
    ]


def test_a_manifest_of_expxagents_is_no_broken_squad() -> None:
    yaml = "squad:\n  code: etl\n  name: Extract & Load\n  skills: [web_search]\n"
    assert lint_tree(tree_of({f"{ETL}/squad.yaml": yaml}), select=["SYN60"]) == ()


def test_the_name_that_a_template_left_is_to_be_replaced() -> None:
    manifest = "DOMAIN_STATE=active\nDOMAIN_RECALL=load\n"
    files = {f"{ETL}/squad.yaml": HEAD, f"{ETL}/.synapse/manifest": manifest}
    (found,) = lint_tree(tree_of(files), select=["SYN201"])
    assert (
        found.message == "DOMAIN is still the name that a template left, and no file has its rules."
    )
    assert "Write `ETL` in its place, and the rules into the file `rules`" in found.remedy
    assert found.fix
    assert {(edit.new_text, edit.span.cut(manifest)) for _, edit in found.fix.edits} == {
        ("ETL", "DOMAIN")
    }


def test_the_squads_own_name_is_not_given_twice() -> None:
    manifest = "ETL_STATE=active\nDOMAIN_STATE=active\n"
    files = {f"{ETL}/.synapse/manifest": manifest, f"{ETL}/.synapse/etl": "ETL_RULE_0=Load once.\n"}
    (found,) = lint_tree(tree_of(files), select=["SYN201"])
    assert found.fix is None


def test_what_a_squad_says_of_itself_in_the_frameworks_former_name_is_read() -> None:
    yaml = f"{HEAD}aios: {{minVersion: 4.0.0, type: squad}}\n"
    assert squads({f"{ETL}/squad.yaml": yaml}, "SYN601") == []


def test_a_stub_that_says_it_is_deprecated_is_no_broken_squad() -> None:
    assert squads({f"{ETL}/squad.yaml": "deprecated: true\n"}, "SYN601") == []


def test_a_missing_component_is_mended_within_its_quotes() -> None:
    yaml = f'{HEAD}components: {{agents: ["loder.md"]}}\n'
    files = {f"{ETL}/squad.yaml": yaml, f"{ETL}/agents/loader.md": "---\nname: loader\n---\n"}
    (found,) = lint_tree(tree_of(files), select=["SYN605"])
    assert found.fix
    ((_, edit),) = found.fix.edits
    assert (edit.new_text, edit.span.cut(yaml)) == ("loader.md", "loder.md")


def test_components_on_disk_are_known_without_being_read(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"{ETL}/squad.yaml": f"{HEAD}components: {{tools: [a.bin], scripts: [deep/b.py]}}\n",
        f"{ETL}/tools/a.bin": b"\0\0",
        f"{ETL}/scripts/deep/b.py": "",
        ".synapse/global": "GLOBAL_RULE_0=Be brief.\n",
    }
    assert [d for d in check_disk(write(tmp_path, files)) if d.code in ("SYN605", "SYN101")] == []


def test_two_squads_of_one_prefix_are_reported_at_the_second() -> None:
    files = {
        "squads/etl/squad.yaml": "name: etl\nversion: 1.0.0\n",
        "squads/etl/.synapse/manifest": "LOAD_STATE=inactive\n",
        f"{ETL}/squad.yaml": HEAD,
        f"{ETL}/.synapse/manifest": "LOAD_STATE=inactive\n",
    }
    (found,) = lint_tree(tree_of(files), select=["SYN604"])
    assert found.path == f"{ETL}/squad.yaml"
    assert [related.path for related in found.related] == ["squads/etl/squad.yaml"]


def test_a_squad_without_a_description_collides_at_its_manifest() -> None:
    files = {
        "squads/etl/.synapse/manifest": "LOAD_STATE=inactive\n",
        f"{ETL}/.synapse/manifest": "LOAD_STATE=inactive\n",
    }
    (found,) = lint_tree(tree_of(files), select=["SYN604"])
    assert found.path == f"{ETL}/.synapse/manifest"


def in_squad(mode: str, domain: str, root: str) -> list[str]:
    files = {
        ".synapse/manifest": root,
        f"{ETL}/squad.yaml": f"{HEAD}config: {{extends: {mode}}}\n",
        f"{ETL}/.synapse/manifest": f"{domain}_STATE=active\n",
    }
    return squads(files)


def test_a_domain_of_the_root_with_a_squads_full_name_collides() -> None:
    assert in_squad("extend", "LOAD", "ETL_LOAD_STATE=inactive\n") == ["SYN604 LOAD"]
    assert in_squad("extend", "LOAD", "LOAD_STATE=inactive\n") == []


def test_overriding_a_domain_by_its_full_name_is_no_collision() -> None:
    root = "ETL_LOAD_STATE=inactive\n"
    assert in_squad("override", "ETL_LOAD", root) == []
    assert in_squad("override", "LOAD", root) == ["SYN604 LOAD"]


@pytest.mark.parametrize("domain", ["CONSTITUTION", "CONTEXT", "ETL_CONTEXT"])
def test_what_always_holds_cannot_be_overridden(domain: str) -> None:
    assert in_squad("override", domain, "") == [f"SYN606 {domain}"]
    assert in_squad("extend", domain, "") == []


def test_a_domain_that_is_marked_non_negotiable_cannot_be_overridden() -> None:
    root = "SAFETY_STATE=inactive\nSAFETY_NON_NEGOTIABLE={}\n"
    assert in_squad("override", "SAFETY", root.format("true")) == ["SYN606 SAFETY"]
    assert in_squad("override", "SAFETY", root.format("false")) == []


@pytest.mark.parametrize("manifest", ["", "# Nothing yet\n", "ETL_EXTENDS=none\n"])
def test_a_squads_manifest_without_domains_adds_nothing(manifest: str) -> None:
    found = lint_tree(tree_of({f"{ETL}/.synapse/manifest": manifest}), select=["SYN6"])
    assert [d.code for d in found] == ["SYN607"]


def test_rule_files_without_a_manifests_mention_are_reported_themselves() -> None:
    files = {f"{ETL}/.synapse/manifest": "", f"{ETL}/.synapse/load": "LOAD_RULE_0=Be quick.\n"}
    assert squads(files, "SYN6", "SYN202") == ["SYN202 LOAD_RULE_0=Be quick."]


def test_the_roots_manifest_may_declare_nothing() -> None:
    assert squads({".synapse/manifest": ""}) == []


@pytest.mark.parametrize("name", ["etl-squad", "etl", "ETL_SQUAD"])
def test_a_squad_may_leave_out_what_every_squads_name_ends_in(name: str) -> None:
    assert squads({f"{ETL}/squad.yaml": f"name: {name}\n"}, "SYN608") == []


def test_a_squad_of_another_name_than_its_folder_is_reported() -> None:
    files = {f"{ETL}/squad.yaml": "name: loading\n"}
    assert squads(files, "SYN608") == ["SYN608 loading"]


def dependencies(name: str) -> list[str]:
    files = {
        f"{ETL}/squad.yaml": f"{HEAD}dependencies: {{squads: [{name}]}}\n",
        "squads/storage/squad.yaml": "name: store-squad\nversion: 1.0.0\n",
    }
    return squads(files, "SYN205")


@pytest.mark.parametrize("name", ["storage", "storage-squad", "Store_Squad", '"storage@1.0.0"'])
def test_a_squad_is_known_by_folder_and_by_name(name: str) -> None:
    assert dependencies(name) == []


def test_a_dependency_that_is_not_there_is_reported_without_its_version() -> None:
    assert dependencies("archive@2.0.0") == ["SYN205 archive"]


def test_a_squad_is_not_offered_as_its_own_dependency() -> None:
    yaml = f"{HEAD}dependencies: {{squads: [etl-squads]}}\n"
    (found,) = lint_tree(tree_of({f"{ETL}/squad.yaml": yaml}), select=["SYN205"])
    assert found.fix is None


def state(squad: str, status: str) -> str:
    return f"workflow_id: w\ninstance_id: w-1\nstatus: {status}\nsquad_name: {squad}\n"


@pytest.mark.parametrize(
    ("squad", "status", "expected"),
    [("etl", "active", ["SYN205 etl"]), ("etl", "completed", []), ("Etl_Squad", "active", [])],
)
def test_the_squad_of_a_workflow_in_progress_has_to_exist(
    squad: str, status: str, expected: list[str]
) -> None:
    files = {f"{ETL}/squad.yaml": HEAD, ".aiox/a-state.yaml": state(squad, status)}
    assert squads(files, "SYN205") == expected


def test_where_there_are_no_squads_none_is_unknown() -> None:
    assert squads({".aiox/a-state.yaml": state("ghost", "active")}, "SYN205") == []


def test_a_folder_without_a_description_is_not_said_to_be_missing() -> None:
    files = {
        "squads/etl/squad.yaml": "name: etl\nversion: 1.0.0\ndependencies: {squads: [store-squad]}\n",
        "squads/store-squad/agents/keeper.md": "---\nname: keeper\n---\n",
    }
    (found,) = lint_tree(tree_of(files), select=["SYN205"])
    assert found.message == (
        "`squads/store-squad` has no `squad.yaml`, so it is no squad, and what this squad builds on is not found."
    )
    assert (found.remedy, found.fix) == ("Give it a `squad.yaml`.", None)


def test_fields_that_are_nested_have_one_finding() -> None:
    files = {
        "squads/a/squad.yaml": "squad:\n  name: a\n  version: 1.0.0\n  slashPrefix: Bad\n",
        "squads/b/squad.yaml": "metadata:\n  name: bb\n  version: 1.0.0\nslashPrefix: Bad\n",
        "squads/c/squad.yaml": "identify: {name: Squad C, version: 1.0.0, author: c}\nsquad: {agents: []}\n",
    }
    found = lint_tree(tree_of(files), select=["SYN601"])
    assert [(d.path, d.remedy) for d in found] == [
        ("squads/a/squad.yaml", "Move the fields of `squad` out to the top level."),
        ("squads/b/squad.yaml", "Move `name` and `version` out to the top level."),
        ("squads/b/squad.yaml", "Write `bad`."),
        ("squads/c/squad.yaml", "Move `name` and `version` out to the top level."),
        ("squads/c/squad.yaml", "Write `squad-c`."),
    ]


def test_a_mapping_that_only_has_a_name_is_not_where_the_squads_fields_are() -> None:
    yaml = "author: {name: Ann}\nsquad: {agents: []}\n"
    found = lint_tree(tree_of({f"{ETL}/squad.yaml": yaml}), select=["SYN601"])
    assert [one.remedy for one in found] == [
        "Add `name: etl-squad` (the name of its folder).",
        "Add `version: 1.0.0`.",
        "Write one text.",
    ]


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("slashPrefix: squadCreator", "Write `squad-creator`."),
        ("slash_prefix: etl", "Write `slashPrefix`."),
        (f"description: {'a' * 501}", "Shorten it to 500 characters."),
        ("description: [a]", "Write one text."),
        ("tags: a", "Write a list, with `- ` before each text."),
        ("dependencies: {squads: [{name: base, minVersion: 1.0.0}]}", "Write `base` alone."),
        ("dependencies: {squads: [{id: base}]}", "Write one text."),
        ("dependencies: [base]", "Put it below one of `node:`, `python:`, `squads:`."),
        ("requires: base", "Write `key: value` pairs."),
        ("aiox: {minVersion: new}", "Write three numbers such as 2.1.0."),
    ],
)
def test_a_field_that_the_schema_refuses_comes_with_what_to_write(line: str, remedy: str) -> None:
    (found,) = lint_tree(tree_of({f"{ETL}/squad.yaml": f"{HEAD}{line}\n"}), select=["SYN601"])
    assert found.remedy == remedy


def test_a_field_that_is_not_in_the_schema_is_not_said_to_have_no_reader() -> None:
    yaml = f"{HEAD}slash_prefix: etl\n"
    (found,) = lint_tree(tree_of({f"{ETL}/squad.yaml": yaml}), select=["SYN601"])
    assert found.message == (
        "`slash_prefix` is no field of AIOX's squad schema, so readers that follow the schema ignore it."
    )


AGENT_FILE = "---\nname: loader\n---\n# Loader\n"


def missing_manifests(folder: Path, files: dict[str, str]) -> list[str]:
    root = write(folder, {".synapse/global": "GLOBAL_RULE_0=Be quick.\n", **files})
    return [found.message for found in check_disk(root) if found.code == "SYN609"]


def test_a_folder_with_agents_that_nothing_makes_a_squad_is_said(tmp_path: Path) -> None:
    (said,) = missing_manifests(tmp_path, {f"{ETL}/agents/loader.md": AGENT_FILE})
    assert said.startswith(f"`{ETL}` has agents and no `squad.yaml`")


def test_several_such_folders_are_said_once(tmp_path: Path) -> None:
    files = {f"squads/{name}/agents/loader.md": AGENT_FILE for name in "abcde"}
    (said,) = missing_manifests(tmp_path, {**files, "squads/b/squad.yaml": HEAD})
    assert said.startswith("4 folders have agents")
    assert said.endswith("`squads/a`, `squads/c`, `squads/d` and 1 more.")


@pytest.mark.parametrize(
    "files",
    [
        {f"{ETL}/squad.yaml": HEAD},
        {f"{ETL}/config.yaml": "name: etl-squad\n"},
        {f"{ETL}/.synapse/manifest": "LOAD_STATE=active\n"},
        {f"{ETL}/.synapse/load": "LOAD_RULE_0=Be quick.\n"},
    ],
    ids=["squad.yaml", "config.yaml", "manifest", "rules"],
)
def test_whatever_makes_a_folder_a_squad_is_enough(files: dict[str, str], tmp_path: Path) -> None:
    assert missing_manifests(tmp_path, {f"{ETL}/agents/loader.md": AGENT_FILE, **files}) == []


def test_a_folder_that_a_squad_depends_on_is_reported_there_alone(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "squads/store/agents/keeper.md": AGENT_FILE,
        f"{ETL}/squad.yaml": f"{HEAD}dependencies: {{squads: [store]}}\n",
    }
    found = [(one.code, one.path) for one in check_disk(write(tmp_path, files))]
    assert found == [("SYN205", f"{ETL}/squad.yaml")]


@pytest.mark.parametrize(
    "files",
    [
        {f"{ETL}/agents/loader.md": "# Notes on loading\n"},
        {f"{ETL}/tasks/load.md": "# Load\n"},
        {".aiox-core/development/agents/loader.md": AGENT_FILE},
    ],
    ids=["no agent is defined", "no agents", "no squads"],
)
def test_an_ordinary_folder_is_not_called_a_squad(files: dict[str, str], tmp_path: Path) -> None:
    assert missing_manifests(tmp_path, files) == []


def test_a_folder_that_becomes_a_squad_or_is_one_no_more_is_said_anew(tmp_path: Path) -> None:
    root = write(tmp_path, {".synapse/global": "GLOBAL_RULE_0=Be quick.\n"})
    loaded = load_tree(str(root), LoadScope.ALL)

    def kinds(path: str, text: str) -> list[str]:
        write(tmp_path, {path: text})
        refresh_tree(loaded, [path])
        return [note.kind for note in loaded.notes]

    assert kinds(f"{ETL}/agents/loader.md", "# Notes\n") == []
    assert kinds(f"{ETL}/agents/loader.md", AGENT_FILE) == ["squad-without-manifest"]
    assert kinds(f"{ETL}/squad.yaml", HEAD) == []
    (tmp_path / ETL / "squad.yaml").unlink()
    refresh_tree(loaded, [f"{ETL}/squad.yaml"])
    assert [note.kind for note in loaded.notes] == ["squad-without-manifest"]

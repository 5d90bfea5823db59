"""The index: adding up, taking away, and what counts as changed."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.workspace.fact_extraction import Key, content_key, make_key
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.snapshot import Snapshot, TreeIndex
from tests.workspace.trees import facts_of, snapshot_of, state, workflow

TEXTS: Mapping[str, tuple[str | None, ...]] = {
    ".synapse/manifest": (
        "",
        "DEV_STATE=active\n",
        "# moved\nDEV_STATE=active\n",
        "DEV_STATE=inactive\nQA_RECALL=test, fix\nQA_AGENT_TRIGGER=qa\n",
        "QA_AGENT_TRIGGER=qa\nOPS_AGENT_TRIGGER=qa\nGLOBAL_EXCLUDE=draft\n",
    ),
    ".synapse/dev": ("", "DEV_RULE_0=a\n", "DEV_RULE_0=a\nQA_RULE_0=b\n", None),
    ".synapse/commands": ("", "# [*brief] COMMAND:\nCOMMANDS_RULE_BRIEF_0=short\n"),
    "squads/etl/.synapse/manifest": ("PIPELINE_RECALL=test\n", "ETL_EXTENDS=override\n"),
    "squads/etl/squad.yaml": ("name: etl\nversion: 1.0.0\n", "name: [\n"),
    ".aiox/a-state.yaml": (state("qa-loop"), state("qa-loop", status="paused")),
    ".aiox-core/development/workflows/qa-loop.yaml": (None, workflow("qa-loop"), workflow("other")),
    ".aiox-core/development/agents/qa.md": (None, "```yaml\nagent:\n  id: tester\n```\n"),
}
FACTS = {
    (path, version): facts_of(path, text)
    for path, texts in TEXTS.items()
    for version, text in enumerate(texts)
}
STEPS = st.lists(
    st.sampled_from([*FACTS]) | st.tuples(st.sampled_from([*TEXTS]), st.none()), max_size=30
)


def seen(snapshot: Snapshot) -> dict[object, object]:
    """Everything that can be asked of a snapshot."""
    keys: set[Key] = set()
    for facts in FACTS.values():
        keys |= facts.definitions_by_key.keys() | facts.references_by_key.keys()
    return {
        **{path: snapshot.facts(path) for path in TEXTS},
        **{("definitions", key): snapshot.definitions(key) for key in keys},
        **{("references", key): snapshot.references(key) for key in keys},
        **{("paths", kind): snapshot.paths(kind) for kind in (None, *FileKind)},
        **{("names", family): snapshot.names_in_family(family) for family in {f for f, _ in keys}},
    }


def applied(index: TreeIndex, path: str, version: int | None) -> frozenset[Key]:
    return index.drop_file(path) if version is None else index.put_facts(FACTS[path, version])


@settings(deadline=None)
@given(STEPS)
def test_any_sequence_of_changes_equals_a_rebuild(steps: list[tuple[str, int | None]]) -> None:
    index = TreeIndex()
    left: dict[str, FileFacts] = {}
    for path, version in steps:
        applied(index, path, version)
        left.pop(path, None)
        if version is not None:
            left[path] = FACTS[path, version]
    rebuilt = TreeIndex()
    for path in sorted(left):
        rebuilt.put_facts(left[path])
    assert seen(index.snapshot()) == seen(rebuilt.snapshot())


@settings(deadline=None)
@given(STEPS)
def test_a_key_that_did_not_change_says_what_it_said(steps: list[tuple[str, int | None]]) -> None:
    index = TreeIndex()
    for path, version in steps:
        before = meanings(index.snapshot())
        changed = applied(index, path, version)
        after = meanings(index.snapshot())
        assert {k for k in before.keys() | after.keys() if before.get(k) != after.get(k)} <= changed


def meanings(snapshot: Snapshot) -> dict[Key, object]:
    """What is said of each key, places aside."""
    found: dict[Key, object] = {}
    for path in snapshot.paths():
        facts = snapshot.facts(path)
        assert facts is not None
        found[content_key(path)] = (facts.text, facts.is_read)
        for name in facts.definitions_by_key.keys() | facts.references_by_key.keys():
            values = [(p, d.value) for p, d in snapshot.definitions(name)]
            found[name] = (values, {p for p, _ in snapshot.references(name)})
    return found


@settings(deadline=None)
@given(STEPS)
def test_a_snapshot_is_not_reached_by_later_changes(steps: list[tuple[str, int | None]]) -> None:
    index = TreeIndex()
    taken: list[tuple[Snapshot, dict[object, object]]] = []
    for path, version in steps:
        snapshot = index.snapshot()
        taken.append((snapshot, seen(snapshot)))
        applied(index, path, version)
    assert all(seen(snapshot) == content for snapshot, content in taken)


def changes(path: str, before: str, after: str) -> frozenset[Key]:
    index = TreeIndex()
    index.put_facts(facts_of(path, before))
    return index.put_facts(facts_of(path, after))


def test_only_the_edited_domain_changes() -> None:
    path = ".synapse/manifest"
    assert changes(
        path, "DEV_STATE=active\nQA_STATE=active\n", "DEV_STATE=active\nQA_STATE=inactive\n"
    ) == {make_key("domain", "QA"), content_key(path)}


def test_a_moved_definition_is_no_change_of_its_key() -> None:
    path = ".synapse/manifest"
    assert changes(path, "DEV_STATE=active\n", "# note\nDEV_STATE=active\n") == {content_key(path)}


def test_a_new_keyword_changes_itself_and_not_its_domain() -> None:
    path = ".synapse/manifest"
    assert changes(path, "DEV_RECALL=code\n", "DEV_RECALL=code,fix\n") == {
        make_key("keyword", "fix"),
        content_key(path),
    }


def test_a_new_rule_file_changes_the_domain_it_may_serve() -> None:
    changed = TreeIndex().put_facts(facts_of(".synapse/agent_dev.md", "- a\n"))
    assert make_key("domain", "AGENT_DEV") in changed
    assert make_key("file", ".synapse/agent_dev.md") in changed


def test_the_same_facts_again_change_nothing() -> None:
    facts = facts_of(".synapse/global", "- a\n")
    index = TreeIndex()
    index.put_facts(facts)
    assert index.put_facts(facts) == frozenset()
    assert index.put_facts(facts_of(facts.path, "- a\n")) == frozenset()


def test_dropping_an_unknown_file_changes_nothing() -> None:
    assert TreeIndex().drop_file(".synapse/global") == frozenset()


def test_definitions_are_listed_by_path_and_then_in_text_order() -> None:
    snapshot = snapshot_of(
        {
            "squads/etl/.synapse/manifest": "A_RECALL=test\n",
            ".synapse/manifest": "B_RECALL=x, test\nC_RECALL=test\n",
        }
    )
    found = [(path, d.value) for path, d in snapshot.definitions(make_key("keyword", "Test"))]
    assert found == [
        (".synapse/manifest", "B"),
        (".synapse/manifest", "C"),
        ("squads/etl/.synapse/manifest", "ETL_A"),
    ]


def test_a_key_with_very_many_mentions_loses_and_finds_each_of_them() -> None:
    paths = [f"docs/stories/s{n}.md" for n in range(100)]
    text = '# S\n\n## Executor Assignment\n\nexecutor: "@dev"\n'
    index = TreeIndex()
    for path in paths:
        index.put_facts(facts_of(path, f"---\nexecutor: dev\n---\n{text}"))
    assert len(index.snapshot().referring_paths(make_key("agent", "dev"))) == 100
    for path in paths[:95]:
        index.drop_file(path)
    assert index.snapshot().referring_paths(make_key("agent", "dev")) == tuple(sorted(paths[95:]))


def test_an_overlay_is_seen_in_place_of_the_disk_and_leaves_the_snapshot_alone() -> None:
    disk = snapshot_of({".synapse/manifest": "DEV_STATE=active\n"})
    buffer = disk.with_text(".synapse/manifest", "QA_STATE=active\n")
    assert buffer.names_in_family("domain") == ("QA",)
    assert disk.names_in_family("domain") == ("DEV",)


def test_an_overlay_of_a_file_that_is_not_saved_yet_is_a_file() -> None:
    buffer = snapshot_of({}).with_text(".synapse/global", "- a\n")
    assert buffer.paths(FileKind.RULES) == (".synapse/global",)


def test_an_overlay_of_the_same_text_is_the_same_snapshot() -> None:
    disk = snapshot_of({".synapse/global": "- a\n"})
    assert disk.with_text(".synapse/global", "- a\n") is disk


def test_an_overlay_of_a_file_that_is_not_ours_is_the_same_snapshot() -> None:
    disk = snapshot_of({".synapse/global": "- a\n"})
    assert disk.with_text("src/main.py", "print()") is disk


def test_the_configuration_is_the_default_where_there_is_none() -> None:
    assert snapshot_of({}).config == snapshot_of({".synapse/config.toml": ""}).config


def test_a_buffer_of_the_configuration_is_in_force() -> None:
    buffer = snapshot_of({}).with_text(".synapse/config.toml", 'profile = "synapse-live"\n')
    assert buffer.config.profile == "synapse-live"

"""Rules that a client's own file had reach the model once, after one command."""

from __future__ import annotations

import pytest

from synapse_ls.integrations.client_registry import load_client
from tests.clients.client import program
from tests.clients.conftest import client_of
from tests.clients.model import Model
from tests.clients.place import Place
from tests.clients.registry import CLIENTS

# Kilo runs OpenCode's code with our plug-in for both.
FOUND = [name for name in CLIENTS if program(name) and name != "kilo"]
RULES = ("Answer in English", "Never edit generated code", "Tabs and never spaces")
FILES = {
    **dict.fromkeys(
        ("CLAUDE.md", "GEMINI.md"),
        "# Service\n\n## Build\n\n```sh\nmake it\n```\n\n## Style\n\n"
        f"- {RULES[0]}\n- {RULES[1]}\n@docs/style.md\n",
    ),
    "AGENTS.md": f"# Service\n\n- {RULES[0]}\n- {RULES[1]}\n\n```sh\nmake it\n```\n",
    ".github/copilot-instructions.md": f"- {RULES[1]}\n",
    ".cursor/rules/style.mdc": f"---\nalwaysApply: true\n---\n- {RULES[2]}\n",
    "docs/style.md": f"- {RULES[2]}\n",
}

# As many as the clients with the smallest limit pass on, and more than Codex does without a setting.
SECTIONS = ("Style", "Tests", "Data", "Errors", "Reviews", "Security")
MORE_SECTIONS = tuple(f"{section} {n}" for n in range(2, 4) for section in SECTIONS)
MANY = {
    section: [
        *(f"Prefer the short form of {section} statement {n} to the long one" for n in range(19)),
        f"NEVER touch {section} of the production system",
    ]
    for section in SECTIONS + MORE_SECTIONS
}


@pytest.mark.parametrize("name", FOUND or list(CLIENTS))
def test_every_rule_of_a_long_file_stands_in_the_first_request(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if not FOUND:
        pytest.skip("there is no client in SYNAPSE_LS_CLIENTS; scripts/test-clients looks for them")
    host = load_client(name)
    assert host is not None
    chosen = SECTIONS + MORE_SECTIONS * (host.reply_limit > 50_000)
    sections = (f"## {s}\n\n" + "".join(f"- {r}\n" for r in MANY[s]) for s in chosen)
    with Model() as model:
        place = Place(tmp_path_factory.mktemp(name), model, {})
        (place.project / "RULES.md").write_text("# Service\n\n" + "\n".join(sections))
        client = client_of(name, place)
        place.synapse("init", "--from", "RULES.md", "--client", name)
        client.trust()
        client.ask("Say hello")
        first = model.turns[0].text
        rules = [rule for section in chosen for rule in MANY[section]]
        assert {rule: first.count(rule) for rule in rules} == dict.fromkeys(rules, 1)


@pytest.mark.parametrize("name", FOUND or list(CLIENTS))
def test_a_client_without_instructions_of_its_own_has_each_rule_once_and_the_others_what_they_had(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if not FOUND:
        pytest.skip("there is no client in SYNAPSE_LS_CLIENTS; scripts/test-clients looks for them")
    with Model() as model:
        place = Place(tmp_path_factory.mktemp(name), model, {})
        for path, text in FILES.items():
            (place.project / path).parent.mkdir(parents=True, exist_ok=True)
            (place.project / path).write_text(text)
        client = client_of(name, place)
        client.trust()
        client.ask("Say hello")
        place.synapse("init", "--client", name)
        client.trust()
        client.ask("Say hello")
        before, now = ({rule: turn.text.count(rule) for rule in RULES} for turn in model.turns[:2])
        # What has instructions of its own gets nothing of the files of other clients.
        assert now == (before if any(before.values()) else dict.fromkeys(RULES, 1))

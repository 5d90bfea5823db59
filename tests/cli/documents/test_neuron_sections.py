"""What neuron-context says of sections and their order, as a block of the profile ``plain`` has it."""

from __future__ import annotations

import json

from synapse_ls.compaction import ContextSection, PersistentContext
from tests.cli.conftest import Synapse
from tests.cli.documents.conftest import MakePlace

SECTIONS = (("Style", "Be brief.", 5), ("Role", "You steer.", 0), ("Facts", "It is Monday.", 9))


def test_sections_are_one_text_by_priority_with_the_bytes_of_the_library(
    synapse: Synapse, place: MakePlace
) -> None:
    values = [{"label": a, "content": b, "priority": c} for a, b, c in SECTIONS]
    place({"sections.json": json.dumps(values)})
    library = PersistentContext([ContextSection(*section) for section in SECTIONS])
    done = synapse("context", "--sections", "sections.json")
    assert done.out.rstrip("\n") == library.render().rstrip("\n")
    assert done.out.index("## Role") < done.out.index("## Style") < done.out.index("## Facts")

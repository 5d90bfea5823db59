"""Mutants of trees of CARL."""

from __future__ import annotations

from tests.carl_trees import SOUND_V2
from tests.lint.mutants.mutant import Mutant

TREE = SOUND_V2

MUTANTS = (
    Mutant(
        "SYN010",
        ".carl/carl.json",
        '"enabled": false,',
        '"enabled": "never",',
        '"never"',
        tree=TREE,
    ),
    Mutant(
        "SYN011",
        ".carl/manifest",
        "TALK_STATE=inactive",
        "TALK_STATE=active",
        "TALK_RULE_0=Be brief",
        tree={
            ".carl/manifest": "TALK_STATE=inactive\nTALK_ALWAYS_ON=true\n",
            ".carl/talk.env": "TALK_RULE_0=Be brief\n",
        },
    ),
)

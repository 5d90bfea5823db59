"""Trees of CARL for tests: the same rules as CARL v1 has them, and as v2 does."""

from __future__ import annotations

from tests.trees import Files

BAND: Files = {
    ".carl/manifest": """\
        DEVMODE=false
        GLOBAL_EXCLUDE=off the record

        GLOBAL_STATE=active
        GLOBAL_ALWAYS_ON=true
        CONTEXT_STATE=active
        CONTEXT_ALWAYS_ON=true
        COMMANDS_STATE=active

        STAGE_ALWAYS_ON=true
        MIX_STATE=yes
        MIX_RECALL=mix, sound desk, level
        MIX_EXCLUDE=mixtape
        TOUR_STATE=active
        TOUR_RECALL=tour, venue
        ATTIC_RECALL=demo
        """,
    ".carl/global": """\
        # What everybody keeps to
        GLOBAL_RULE_0=Count in before you play
        GLOBAL_RULE_7=Tune between songs, not during them
        """,
    ".carl/context": """\
        FRESH_RULES=true
        MODERATE_RULES=false
        FRESH_RULE_0=Try things out
        MODERATE_RULE_0=Keep to the set list
        DEPLETED_RULE_0=Play what everybody knows
        DEPLETED_RULE_1=Name the next song
        """,
    ".carl/commands": """\
        ENCORE_RULE_0=Play one more
        ENCORE_RULE_1=Then stop
        CARL_RULE_0=Explain how the rules work
        """,
    ".carl/stage": "STAGE_RULE_0=Leave no cable across the way\n",
    ".carl/mix": """\
        MIX_RULE_b=Cut before you boost
        MIX_RULE_a=Leave headroom = 6 dB
        TOUR_RULE_9=Not read here
        """,
    ".carl/tour.env": "TOUR_RULE_0=Load in by four\n",
    ".carl/attic": "ATTIC_RULE_0=Never released\n",
}
"""CARL v1: state defaults, a switch, ``.env``, keys of any kind, a foreign key, `*carl`."""

BAND_V2: Files = {
    ".carl/carl.json": """\
        {
          "version": 1,
          "config": {
            "devmode": false,
            "global_exclude": ["off the record"],
            "context_brackets": {
              "FRESH": {"enabled": true, "rules": ["Try things out"]},
              "MODERATE": {"enabled": false, "rules": ["Keep to the set list"]},
              "DEPLETED": {"rules": [{"text": "Play what everybody knows"}, "Name the next song"]}
            },
            "commands": {
              "ENCORE": ["Play one more", "Then stop"],
              "CARL": {"rules": ["Explain how the rules work"]}
            }
          },
          "domains": {
            "GLOBAL": {
              "state": "active",
              "always_on": true,
              "rules": [
                {"id": 0, "text": "Count in before you play"},
                {"id": 7, "text": "Tune between songs, not during them"}
              ]
            },
            "STAGE": {"always_on": true, "rules": [{"text": "Leave no cable across the way"}]},
            "MIX": {
              "state": true,
              "recall": ["mix", "sound desk", "level"],
              "exclude": ["mixtape"],
              "rules": [{"text": "Cut before you boost"}, {"text": "Leave headroom = 6 dB"}],
              "decisions": [
                {"id": "mix-1", "decision": "Mono for the floor", "rationale": "one speaker"},
                {"id": "mix-0", "decision": "Stereo", "status": "superseded"}
              ]
            },
            "TOUR": {"state": "active", "recall": ["tour", "venue"], "rules": ["Load in by four"]},
            "ATTIC": {"recall": ["demo"], "rules": ["Never released"]}
          },
          "staging": [{"id": "stg-001", "domain": "MIX", "text": "Not yet"}]
        }
        """
}
"""CARL v2, with two decisions of which one still holds."""

SOUND_V2: Files = {
    path: text.replace('"mix", ', "").replace('["demo"]', '["demo"], "state": "inactive"')
    for path, text in BAND_V2.items()
}
"""The same without anything to find."""

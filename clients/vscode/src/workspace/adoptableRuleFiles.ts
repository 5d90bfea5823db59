/** This module lists the rule files that a project may have before it has a rule tree. Pure. */

/** Its folders are `_RULE_FOLDERS` of the server's `setup/init/rule_sources.py`; a test compares. */
export const ADOPTABLE_RULE_FILES = [
  "CLAUDE.md",
  ".claude/CLAUDE.md",
  "AGENTS.md",
  "GEMINI.md",
  ".cursorrules",
  ".github/copilot-instructions.md",
  ".agents/rules",
  ".amazonq/rules",
  ".claude/rules",
  ".clinerules",
  ".cursor/rules",
  ".github/instructions",
  ".kilo/rules",
  ".kiro/steering",
  ".windsurf/rules",
] as const;

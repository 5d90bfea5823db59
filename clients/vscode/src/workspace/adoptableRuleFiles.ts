/** This module lists the rule files that a project may have before it has a rule tree. Pure. */

/** `KNOWN_SOURCES` of the server's `setup/init/rule_sources.py`; a test compares them. */
export const ADOPTABLE_RULE_FILES = [
  "CLAUDE.md",
  ".claude/CLAUDE.md",
  ".claude/rules",
  "AGENTS.md",
  "GEMINI.md",
  ".cursor/rules",
  ".cursorrules",
  ".github/copilot-instructions.md",
  ".github/instructions",
] as const;

/** Files with rules for agents that a project may have before it has a tree. Pure. */

/** `KNOWN_SOURCES` of the server's `manage/load.py`; a test compares them. */
export const SOURCES = [
  "CLAUDE.md",
  "AGENTS.md",
  ".cursor/rules",
  ".cursorrules",
  ".github/copilot-instructions.md",
] as const;

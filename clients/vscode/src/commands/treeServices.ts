/**
 * This module defines the services that commands share: CLI, executor, tree, pages, proposals.
 * Types only.
 */

import type { MarkdownPages } from "../documents/markdownPages";
import type { Proposals } from "../documents/proposals";
import type { CurrentTree } from "../workspace/currentTree";
import type { TreeCli } from "../workspace/treeCli";
import type { CommandExecutor } from "./commandExecutor";

export interface TreeServices {
  readonly cli: TreeCli;
  readonly executor: CommandExecutor;
  readonly tree: CurrentTree;
  readonly pages: MarkdownPages;
  readonly proposals: Proposals;
}

/** What commands work with that show pages and propose changes of a tree. */

import type { Executor } from "./commands/execute";
import type { CurrentTree } from "./currentTree";
import type { Pages } from "./pages";
import type { Proposals } from "./proposal";
import type { TreeCli } from "./treeCli";

export interface Desk {
  readonly cli: TreeCli;
  readonly executor: Executor;
  readonly tree: CurrentTree;
  readonly pages: Pages;
  readonly proposals: Proposals;
}

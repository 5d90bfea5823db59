/** What a person does with a tree from the palette, from menus and from our views. */

import * as vscode from "vscode";
import type { CurrentTree } from "../currentTree";
import type { Pages } from "../pages";
import type { Pins } from "../pins";
import type { Server } from "../server";
import { domainMenu } from "./domainMenu";
import { domainCommands } from "./domains";
import { Executor } from "./execute";
import { guardCommands } from "./guard";
import { sessionCommands } from "./session";
import { whyCommands } from "./why";

export function treeCommands(
  server: Server,
  tree: CurrentTree,
  pins: Pins,
  pages: Pages,
): vscode.Disposable {
  const executor = new Executor(server, tree);
  return vscode.Disposable.from(
    sessionCommands(executor, tree, pins, pages),
    domainCommands(executor),
    domainMenu(),
    whyCommands(executor),
    guardCommands(executor),
  );
}

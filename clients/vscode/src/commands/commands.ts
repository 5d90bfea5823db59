/** What a person does with a tree from the palette, from menus and from our views. */

import * as vscode from "vscode";
import type { CurrentTree } from "../currentTree";
import type { Pins } from "../pins";
import type { Server } from "../server";
import { domainMenu } from "./domainMenu";
import { domainCommands } from "./domains";
import { Executor } from "./execute";
import { sessionCommands } from "./session";
import { whyCommands } from "./why";

export function treeCommands(server: Server, tree: CurrentTree, pins: Pins): vscode.Disposable {
  const executor = new Executor(server, tree);
  return vscode.Disposable.from(
    sessionCommands(executor, tree, pins),
    domainCommands(executor),
    domainMenu(),
    whyCommands(executor),
  );
}

/** Our views in the side bar: what each asks for and shows. */

import * as vscode from "vscode";
import type { CurrentTree } from "../currentTree";
import { memoryRows } from "../memory/rows";
import { explain, status } from "../protocol";
import { memory } from "../protocolMemory";
import { domains, injections, sessions, squads } from "../protocolTree";
import type { Server } from "../server";
import { domainRows } from "./domains";
import { injectionRows } from "./injections";
import { openInjections } from "./openInjection";
import { SessionFiles } from "./sessionFiles";
import { type Reader, sessionRows } from "./sessions";
import { squadRows } from "./squads";
import { type Load, TreeView } from "./treeView";

/** How many injections are listed. */
const RECENT = 50;

const LOADS: Readonly<Record<string, Load>> = {
  "synapse.domains": async (connection, uri) => {
    const [declared, explanation] = await Promise.all([
      connection.ask(domains, { uri }),
      connection.ask(explain, { uri }),
    ]);
    return domainRows(declared.domains, explanation);
  },
  "synapse.sessions": async (connection, uri) =>
    sessionRows(await connection.ask(sessions, { uri }), reader()),
  "synapse.squads": async (connection, uri) => {
    const [found, declared, explanation] = await Promise.all([
      connection.ask(squads, { uri }),
      connection.ask(domains, { uri }),
      connection.ask(explain, { uri }),
    ]);
    return squadRows(found.squads, declared.domains, explanation);
  },
  "synapse.memory": async (connection, uri) => {
    const [kept, gone] = await Promise.all([
      connection.ask(memory, { uri }),
      connection.ask(memory, { uri, archived: true }),
    ]);
    return memoryRows(kept.memories, gone.memories, reader());
  },
  "synapse.injections": async (connection, uri) => {
    const [sent, known, { hooks }] = await Promise.all([
      connection.ask(injections, { uri, limit: RECENT }),
      connection.ask(sessions, { uri }),
      connection.ask(status, { uri }),
    ]);
    return injectionRows(sent.injections, known.sessions, reader(), hooks.length > 0);
  },
};

export function views(server: Server, tree: CurrentTree): vscode.Disposable {
  const all = Object.entries(LOADS).map(([id, load]) => new TreeView(id, server, tree, load));
  const refresh = async (): Promise<void> => {
    await Promise.all(all.map((view) => view.refresh()));
  };
  const files = new SessionFiles(tree);
  return vscode.Disposable.from(
    ...all,
    files,
    files.onDidChange(refresh),
    openInjections(server, tree),
    vscode.commands.registerCommand("synapse.refreshViews", refresh),
  );
}

function reader(): Reader {
  const { Light, HighContrastLight } = vscode.ColorThemeKind;
  const { kind } = vscode.window.activeColorTheme;
  return {
    now: Date.now(),
    locale: vscode.env.language,
    darkTheme: kind !== Light && kind !== HighContrastLight,
  };
}

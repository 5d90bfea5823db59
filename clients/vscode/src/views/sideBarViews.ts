/** This module registers the side-bar views and requests the data of each from the server. */

import * as vscode from "vscode";
import { registerInjectionDocuments } from "../documents/injectionDocument";
import { memoryRows } from "../memory/memoryRows";
import { domains, explain, injections, memory, sessions, squads, status } from "../protocol";
import type { Server } from "../server/server";
import type { CurrentTree } from "../workspace/currentTree";
import { domainRows } from "./domainRows";
import { injectionRows } from "./injectionRows";
import { type LoadRows, RowsView } from "./rowsView";
import { SessionFileWatcher } from "./sessionFileWatcher";
import { type RowDisplay, sessionRows } from "./sessionRows";
import { squadRows } from "./squadRows";

/** How many injections are listed. */
const MAX_INJECTIONS = 50;

const ROW_LOADERS: Readonly<Record<string, LoadRows>> = {
  "synapse.domains": async (connection, uri) => {
    const [declared, explanation] = await Promise.all([
      connection.request(domains, { uri }),
      connection.request(explain, { uri }),
    ]);
    return domainRows(declared.domains, explanation);
  },
  "synapse.sessions": async (connection, uri) =>
    sessionRows(await connection.request(sessions, { uri }), rowDisplay()),
  "synapse.squads": async (connection, uri) => {
    const [found, declared, explanation] = await Promise.all([
      connection.request(squads, { uri }),
      connection.request(domains, { uri }),
      connection.request(explain, { uri }),
    ]);
    return squadRows(found.squads, declared.domains, explanation);
  },
  "synapse.memory": async (connection, uri) => {
    const [kept, gone] = await Promise.all([
      connection.request(memory, { uri }),
      connection.request(memory, { uri, archived: true }),
    ]);
    return memoryRows(kept.memories, gone.memories, rowDisplay());
  },
  "synapse.injections": async (connection, uri) => {
    const [sent, known, { hooks }] = await Promise.all([
      connection.request(injections, { uri, limit: MAX_INJECTIONS }),
      connection.request(sessions, { uri }),
      connection.request(status, { uri }),
    ]);
    return injectionRows(sent.injections, known.sessions, rowDisplay(), hooks.length > 0);
  },
};

export function registerViews(server: Server, tree: CurrentTree): vscode.Disposable {
  const views = Object.entries(ROW_LOADERS).map(
    ([id, load]) => new RowsView(id, server, tree, load),
  );
  const refresh = async (): Promise<void> => {
    await Promise.all(views.map((view) => view.refresh()));
  };
  const files = new SessionFileWatcher(tree);
  return vscode.Disposable.from(
    ...views,
    files,
    files.onDidChange(refresh),
    registerInjectionDocuments(server, tree),
    vscode.commands.registerCommand("synapse.refreshViews", refresh),
  );
}

function rowDisplay(): RowDisplay {
  const { Light, HighContrastLight } = vscode.ColorThemeKind;
  const { kind } = vscode.window.activeColorTheme;
  return {
    now: Date.now(),
    locale: vscode.env.language,
    darkTheme: kind !== Light && kind !== HighContrastLight,
  };
}

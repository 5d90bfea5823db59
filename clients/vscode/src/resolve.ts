/** Looks for the interpreter, and says which server it would run. */

import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { type Choice, choose, named, sourcesOf, spelled } from "./interpreter";
import { type ImportStrategy, type Launch, launchOf } from "./launch";
import { probeIn } from "./probe";
import type { PythonExtensions } from "./pythonExtensions";

/** The settings that a change of which may start another server. */
export const SETTINGS = ["synapse.interpreter", "synapse.importStrategy"] as const;

export interface Resolved {
  readonly choice: Choice;
  readonly launch: Launch | undefined;
}

export class Resolver {
  constructor(
    private readonly home: string,
    private readonly extensions: PythonExtensions,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  async resolve(): Promise<Resolved> {
    const { isTrusted: trusted, workspaceFolders } = vscode.workspace;
    const settings = vscode.workspace.getConfiguration("synapse");
    const folder = workspaceFolders?.[0]?.uri.fsPath;
    // In a folder that is not trusted the setting is the user's own, and what the Python extensions
    // have chosen may well be an interpreter that the folder brings along.
    const own = named(settings.get("interpreter", ""), os.homedir(), folder);
    const sources = sourcesOf(own, trusted ? this.extensions.sources : [], process.platform);
    const choice = await choose(sources, probeIn(this.home));
    for (const { origin, candidate, answer, verdict } of choice.attempts) {
      this.log.info(`${origin}: ${spelled(candidate)}: ${verdict} ${JSON.stringify(answer)}`);
    }
    const strategy = settings.get<ImportStrategy>("importStrategy", "useBundled");
    const bundle = path.join(this.home, "dist", "server");
    const launch = choice.chosen && launchOf(choice.chosen, strategy, bundle, trusted);
    if (launch?.bundled && strategy === "fromEnvironment") {
      const why = trusted ? "the interpreter has none that is new enough" : "trust is missing";
      this.log.info(`The server of the extension is taken: ${why}.`);
    }
    return { choice, launch };
  }
}

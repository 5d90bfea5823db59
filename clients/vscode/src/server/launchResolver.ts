/** This module resolves interpreter and settings into the command line that starts the server. */

import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { interpreterProbe } from "./interpreterProbe";
import {
  chooseInterpreter,
  commandText,
  type InterpreterCandidate,
  type InterpreterChoice,
  type InterpreterSource,
  interpreterFromSetting,
  interpreterSources,
  pathCandidates,
} from "./interpreterSearch";
import { type ImportStrategy, type ServerLaunch, serverLaunch } from "./launchCommand";
import { locateOutside, openFolders } from "./programSearch";
import type { PythonExtensions } from "./pythonExtensions";

/** The settings that a change of which may start another server. */
export const LAUNCH_SETTINGS = ["synapse.interpreter", "synapse.importStrategy"] as const;

/** What a launch depends on that a person may change. */
interface LaunchConditions {
  readonly trusted: boolean;
  /** The first folder's path. */
  readonly folder: string | undefined;
  readonly interpreter: string;
  readonly strategy: ImportStrategy;
}

export interface ResolvedLaunch {
  readonly conditions: LaunchConditions;
  readonly choice: InterpreterChoice;
  readonly launch: ServerLaunch | undefined;
}

export class LaunchResolver {
  constructor(
    private readonly home: string,
    private readonly extensions: PythonExtensions,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  async resolve(): Promise<ResolvedLaunch> {
    const conditions = currentConditions();
    const { trusted, folder, interpreter, strategy } = conditions;
    // In a folder that is not trusted the setting is the user's own, but it may lead into the folder.
    const setting = interpreterFromSetting(interpreter, os.homedir(), folder);
    const named = setting && (locate(setting) ?? (trusted ? setting : undefined));
    if (setting !== undefined && named === undefined) {
      this.log.info(`setting: ${commandText(setting)}: not started, because trust is missing`);
    }
    const sources = trustedSources(this.extensions, named);
    const probe = interpreterProbe(this.home, strategy === "fromEnvironment" && trusted);
    const choice = await chooseInterpreter(sources, probe);
    for (const { origin, candidate, answer, verdict } of choice.attempts) {
      this.log.info(`${origin}: ${commandText(candidate)}: ${verdict} ${JSON.stringify(answer)}`);
    }
    const bundle = path.join(this.home, "dist", "server");
    const launch = choice.chosen && serverLaunch(choice.chosen, strategy, bundle, trusted);
    if (launch?.bundled && strategy === "fromEnvironment") {
      const why = trusted ? "the interpreter has none that is new enough" : "trust is missing";
      this.log.info(`The server of the extension is taken: ${why}.`);
    }
    return { conditions, choice, launch };
  }
}

/**
 * Returns where interpreters may be looked for. In a folder that is not trusted the search path may
 * lead into the folder, and so may what the Python extensions have chosen.
 */
export function trustedSources(
  extensions: PythonExtensions,
  named?: InterpreterCandidate,
): readonly InterpreterSource[] {
  return interpreterSources(
    named,
    vscode.workspace.isTrusted ? extensions.sources : [],
    pathCandidates(process.platform).flatMap((each) => locate(each) ?? []),
  );
}

/** Returns a program by its full path: Windows looks for a name in the working directory first. */
function locate(candidate: InterpreterCandidate): InterpreterCandidate | undefined {
  return locateOutside(candidate, vscode.workspace.isTrusted ? [] : openFolders());
}

/** Returns whether nothing has changed since a launch was resolved. */
export function isUpToDate({ conditions }: ResolvedLaunch): boolean {
  return JSON.stringify(conditions) === JSON.stringify(currentConditions());
}

function currentConditions(): LaunchConditions {
  const { isTrusted: trusted, workspaceFolders } = vscode.workspace;
  const settings = vscode.workspace.getConfiguration("synapse");
  return {
    trusted,
    folder: workspaceFolders?.[0]?.uri.fsPath,
    interpreter: settings.get("interpreter", ""),
    strategy: settings.get<ImportStrategy>("importStrategy", "useBundled"),
  };
}

/**
 * This module runs `synapse` sub-commands on the current tree with the server in use, and shows
 * failures.
 */

import * as vscode from "vscode";
import { type ServerLaunch, waitForLaunch } from "../server/launchCommand";
import type { Server } from "../server/server";
import { showInformation, showWarning } from "../text/messages";
import { addOptions, type CliResult, failureMessage, runCli } from "./cliProcess";
import type { CurrentTree } from "./currentTree";

export async function waitForLaunchWithProgress(server: Server): Promise<ServerLaunch | undefined> {
  const title = vscode.l10n.t("Synapse is starting.");
  const launch =
    server.launch ??
    (await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title },
      () => waitForLaunch(server),
    ));
  if (launch === undefined) {
    await vscode.commands.executeCommand("synapse.showProblem");
  }
  return launch;
}

/** The exit code of a failure; 1 means that something was found, as by the doctor. */
const FAILURE_CODE = 2;

/** The messages where no sub-command can be run. */
export interface RefusalMessages {
  /** Shown in a folder that is not trusted. */
  readonly untrusted: string;
  /** Shown where no folder is open. */
  readonly withoutFolder: string;
}

export class TreeCli {
  constructor(
    protected readonly server: Server,
    private readonly tree: CurrentTree,
    /** Where processes start; no folder of a workspace. */
    private readonly home: string,
    private readonly refusals: RefusalMessages,
  ) {}

  /**
   * Returns the folder of the tree; undefined, after a message, where nothing is open or trusted.
   */
  async requireRoot(): Promise<string | undefined> {
    if (!vscode.workspace.isTrusted) {
      await offerTrust(this.refusals.untrusted);
      return undefined;
    }
    const { root } = this.tree;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const uri = root === undefined ? folder : vscode.Uri.parse(root);
    if (uri === undefined) {
      await showInformation(this.refusals.withoutFolder);
    }
    return uri?.fsPath;
  }

  /** Returns the JSON answer of a sub-command; undefined, after a warning, where it failed. */
  async requestJson<T>(root: string, ...args: readonly string[]): Promise<T | undefined> {
    const result = await this.runSubcommand(root, addOptions(args, "--format", "json"));
    const answer = result && parseCliAnswer<T>(result);
    if (result !== undefined && answer === undefined) {
      await showWarning(failureMessage(result));
    }
    return answer;
  }

  /** Returns the output of a sub-command; undefined, after a warning, where it failed. */
  async requestText(root: string, ...args: readonly string[]): Promise<string | undefined> {
    const result = await this.runSubcommand(root, args);
    if (result === undefined || result.code < FAILURE_CODE) {
      return result?.output;
    }
    await showWarning(failureMessage(result));
    return undefined;
  }

  protected async runSubcommand(
    root: string,
    args: readonly string[],
  ): Promise<CliResult | undefined> {
    const launch = await waitForLaunchWithProgress(this.server);
    return launch && runCli(launch, this.home, addOptions(args, "--root", root));
  }
}

export function parseCliAnswer<T>({ code, output }: CliResult): T | undefined {
  return code < FAILURE_CODE && output.trim() !== "" ? JSON.parse(output) : undefined;
}

async function offerTrust(sentence: string): Promise<void> {
  const manage = vscode.l10n.t("Manage Trust");
  if ((await showWarning(sentence, manage)) === manage) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  }
}

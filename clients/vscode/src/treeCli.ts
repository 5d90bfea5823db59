/** Asks the command line about the tree one works in, with the server that is in use. */

import * as vscode from "vscode";
import { awaitLaunch } from "./awaitLaunch";
import type { CurrentTree } from "./currentTree";
import { complaintOf, type Finished, runCli } from "./runCli";
import type { Server } from "./server";

/** The exit code of what could not be done; 1 says that something was found, as by a doctor. */
const IMPOSSIBLE = 2;

/** Why nothing is asked. */
export interface Refusals {
  /** Of a folder that is not trusted. */
  readonly untrusted: string;
  /** Without a folder. */
  readonly nowhere: string;
}

export class TreeCli {
  constructor(
    protected readonly server: Server,
    private readonly tree: CurrentTree,
    /** Where processes start; no folder of a workspace. */
    private readonly home: string,
    private readonly refusals: Refusals,
  ) {}

  /** The folder that is meant; undefined where nothing is open or trusted, which is told then. */
  async root(): Promise<string | undefined> {
    if (!vscode.workspace.isTrusted) {
      await tellOfTrust(this.refusals.untrusted);
      return undefined;
    }
    const { root } = this.tree;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const uri = root === undefined ? folder : vscode.Uri.parse(root);
    if (uri === undefined) {
      await vscode.window.showInformationMessage(this.refusals.nowhere);
    }
    return uri?.fsPath;
  }

  /** The answer of a sub-command; undefined where it could not be done, which has been told then. */
  async ask<T>(root: string, ...args: readonly string[]): Promise<T | undefined> {
    const finished = await this.run(root, [...args, "--format", "json"]);
    const answer = finished && answerIn<T>(finished);
    if (finished !== undefined && answer === undefined) {
      await vscode.window.showWarningMessage(complaintOf(finished));
    }
    return answer;
  }

  /** What a sub-command prints; undefined where it could not be done, which has been told then. */
  async text(root: string, ...args: readonly string[]): Promise<string | undefined> {
    const finished = await this.run(root, args);
    if (finished === undefined || finished.code < IMPOSSIBLE) {
      return finished?.output;
    }
    await vscode.window.showWarningMessage(complaintOf(finished));
    return undefined;
  }

  protected async run(root: string, args: readonly string[]): Promise<Finished | undefined> {
    const launch = await awaitLaunch(this.server);
    return launch && runCli(launch, this.home, [...args, "--root", root]);
  }
}

export function answerIn<T>({ code, output }: Finished): T | undefined {
  return code < IMPOSSIBLE && output.trim() !== "" ? JSON.parse(output) : undefined;
}

async function tellOfTrust(sentence: string): Promise<void> {
  const manage = vscode.l10n.t("Manage Trust");
  if ((await vscode.window.showWarningMessage(sentence, manage)) === manage) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  }
}

/** Asks the command line about hooks, with the server that is in use. */

import * as vscode from "vscode";
import { awaitLaunch } from "../awaitLaunch";
import type { CurrentTree } from "../currentTree";
import { complaintOf, type Finished, runCli } from "../runCli";
import type { Server } from "../server";
import type { Installed } from "./reports";

/** The exit code of what could not be done; 1 is that of a doctor who found something. */
const IMPOSSIBLE = 2;

export class HookCli {
  constructor(
    private readonly server: Server,
    private readonly tree: CurrentTree,
    /** Where processes start; no folder of a workspace. */
    private readonly home: string,
  ) {}

  /** Whether the server is the one inside the extension. */
  get bundled(): boolean {
    return this.server.launch?.bundled ?? false;
  }

  /** The folder that is meant; undefined where nothing is open or trusted, which is told then. */
  async root(): Promise<string | undefined> {
    if (!vscode.workspace.isTrusted) {
      await tellOfTrust();
      return undefined;
    }
    const { root } = this.tree;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const uri = root === undefined ? folder : vscode.Uri.parse(root);
    if (uri === undefined) {
      await vscode.window.showInformationMessage(
        vscode.l10n.t("A hook serves a project. Open its folder first."),
      );
    }
    return uri?.fsPath;
  }

  /** The answer of a sub-command; undefined where it could not be done, which has been told then. */
  async ask<T>(root: string, ...args: readonly string[]): Promise<T | undefined> {
    const finished = await this.run(root, args);
    const answer = finished && answerIn<T>(finished);
    if (finished !== undefined && answer === undefined) {
      await vscode.window.showErrorMessage(complaintOf(finished));
    }
    return answer;
  }

  /** The clients that are in use, and what shows it. */
  async detected(root: string): Promise<NonNullable<Installed["detected"]> | undefined> {
    const finished = await this.run(root, ["install", "--dry-run"]);
    // Where none is found there is nothing to propose, and any can be chosen.
    return finished && (answerIn<Installed>(finished)?.detected ?? []);
  }

  private async run(root: string, args: readonly string[]): Promise<Finished | undefined> {
    const launch = await awaitLaunch(this.server);
    return launch && runCli(launch, this.home, [...args, "--root", root, "--format", "json"]);
  }
}

function answerIn<T>({ code, output }: Finished): T | undefined {
  return code < IMPOSSIBLE && output.trim() !== "" ? JSON.parse(output) : undefined;
}

async function tellOfTrust(): Promise<void> {
  const manage = vscode.l10n.t("Manage Trust");
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t(
      "This folder is not trusted, so no hook is looked at or changed: a hook is a command that agents run.",
    ),
    manage,
  );
  if (answer === manage) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  }
}

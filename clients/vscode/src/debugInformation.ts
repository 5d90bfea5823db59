/** What somebody needs to know who is to help: versions, paths, settings. Nothing of the rules. */

import * as vscode from "vscode";
import { spelled } from "./interpreter";
import type { Server } from "./server";

export async function copyDebugInformation(
  server: Server,
  extension: vscode.Extension<unknown>,
): Promise<void> {
  const { launch, state, version } = server;
  const settings = vscode.workspace.getConfiguration("synapse");
  const rows: readonly (readonly [string, unknown])[] = [
    ["Extension", extension.packageJSON.version],
    ["Editor", `${vscode.env.appName} ${vscode.version}`],
    ["System", `${process.platform} ${process.arch}`],
    ["Remote", vscode.env.remoteName ?? "no"],
    ["Folders", vscode.workspace.workspaceFolders?.length ?? 0],
    ["Trusted", vscode.workspace.isTrusted],
    ["Server", state.kind === "stopped" ? state.failure.problem : `${state.kind} ${version ?? ""}`],
    ["Interpreter", launch && spelled(launch.interpreter.candidate)],
    ["Found by", launch?.interpreter.origin],
    ["Python", launch?.interpreter.python],
    ["Bundled", launch?.bundled],
    ["Settings", JSON.stringify(settings)],
  ];
  const text = rows.map(([name, value]) => `${name}: ${value ?? "none"}`).join("\n");
  await vscode.env.clipboard.writeText(text);
  await vscode.window.showInformationMessage(
    vscode.l10n.t("The debug information is in the clipboard."),
  );
}

/**
 * This module registers the commands about the server and the events that restart it, and copies
 * debug information.
 */

import * as vscode from "vscode";
import { showInformation } from "../text/messages";
import type { FailureNotice } from "./failureNotice";
import { selectInterpreter } from "./interpreterPicker";
import { commandText } from "./interpreterSearch";
import { LAUNCH_SETTINGS } from "./launchResolver";
import type { PythonExtensions } from "./pythonExtensions";
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
    ["Interpreter", launch && commandText(launch.interpreter.candidate)],
    ["Found by", launch?.interpreter.origin],
    ["Python", launch?.interpreter.python],
    ["Bundled", launch?.bundled],
    ["Settings", JSON.stringify(settings)],
  ];
  const text = rows.map(([name, value]) => `${name}: ${value ?? "none"}`).join("\n");
  await vscode.env.clipboard.writeText(text);
  await showInformation(vscode.l10n.t("The debug information is in the clipboard."));
}

export function registerServerCommands(
  { extension, extensionPath: home }: vscode.ExtensionContext,
  server: Server,
  notice: FailureNotice,
  extensions: PythonExtensions,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const commands: Record<string, () => unknown> = {
    restartServer: () => {
      notice.reset();
      return server.start();
    },
    showLog: () => log.show(),
    showProblem: () => notice.show(),
    selectInterpreter: () => selectInterpreter(home, extensions),
    copyDebugInformation: () => copyDebugInformation(server, extension),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`synapse.${name}`, run),
    ),
    extensions.onDidChange(() => server.restartIfChanged()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restartIfChanged()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (LAUNCH_SETTINGS.some((name) => change.affectsConfiguration(name))) {
        // A server that does not run may be helped by any change; one that runs only by another.
        void (server.state.kind === "running" ? server.restartIfChanged() : server.start());
      }
    }),
  );
}

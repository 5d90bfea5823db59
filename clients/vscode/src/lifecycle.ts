/** What starts the server anew, and the commands that are about it. */

import * as vscode from "vscode";
import { copyDebugInformation } from "./debugInformation";
import type { ProblemNotice } from "./problem";
import type { PythonExtensions } from "./pythonExtensions";
import { SETTINGS } from "./resolve";
import { selectInterpreter } from "./selectInterpreter";
import type { Server } from "./server";

export function lifecycle(
  { extension, extensionPath: home }: vscode.ExtensionContext,
  server: Server,
  notice: ProblemNotice,
  extensions: PythonExtensions,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const commands: Record<string, () => unknown> = {
    restartServer: () => {
      notice.forget();
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
    extensions.onDidChange(() => server.reconsider()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.reconsider()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (SETTINGS.some((name) => change.affectsConfiguration(name))) {
        // A server that does not run may be helped by any change; one that runs only by another.
        void (server.state.kind === "running" ? server.reconsider() : server.start());
      }
    }),
  );
}

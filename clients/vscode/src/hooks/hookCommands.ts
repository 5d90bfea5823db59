/**
 * This module registers the commands that install, uninstall and examine the hook, and trust a
 * tree.
 */

import * as vscode from "vscode";
import type { MarkdownPages } from "../documents/markdownPages";
import type { Proposals } from "../documents/proposals";
import type { Server } from "../server/server";
import { showInformation, showWarning } from "../text/messages";
import type { CurrentTree } from "../workspace/currentTree";
import { doctorPage, healthRemedies, healthVerdict, servedClients } from "./doctorPage";
import { HookCli } from "./hookCli";
import { HookRenewal } from "./hookRenewal";
import type { HealthReport, InstallReport, TrustReport } from "./hookReports";
import { clientChoices, clientTitle, type HookScope, scopeChoices } from "./installChoices";
import { changedFiles, settingsPreview } from "./settingsPreview";

/** The outcome of a change; `refused` by the person or by the command line. */
type ChangeOutcome = "written" | "so already" | "refused";

/** The extension that is the agent of VS Code. */
const COPILOT_CHAT = "GitHub.copilot-chat";

/** Milliseconds that a success stands in the status bar. */
const MESSAGE_DURATION = 8_000;

/** `home` is the folder of the extension, where processes start; `memory` that of all windows. */
export function registerHookCommands(
  server: Server,
  tree: CurrentTree,
  proposals: Proposals,
  pages: MarkdownPages,
  memory: vscode.Memento,
  home: string,
): vscode.Disposable {
  const cli = new HookCli(server, tree, home);
  const renewal = new HookRenewal(memory, cli, tree, home);

  const installHook = async (): Promise<void> => {
    const root = await cli.requireRoot();
    if (root === undefined || !(await confirmWithoutTree(root))) {
      return;
    }
    const detection = root && (await cli.detectClients(root));
    const clients = detection && (await pickClients(detection));
    const scope = clients && (await pickScope(clients, cli.isBundled));
    if (!root || !clients || !scope) {
      return;
    }
    const clientArgs = clients.flatMap((client) => ["--client", client]);
    const args = ["install", ...clientArgs, "--scope", scope];
    if ((await changeSettings(root, args, vscode.l10n.t("Install Hook"))) === "refused") {
      return;
    }
    await renewal.addInstallation({ root, clients, scope });
    if (scope !== "user" || (await cli.requestJson<TrustReport>(root, "trust")) !== undefined) {
      await examineHooks(root, false);
    }
  };

  const uninstallHook = async (): Promise<void> => {
    const root = await cli.requireRoot();
    const outcome =
      root && (await changeSettings(root, ["uninstall"], vscode.l10n.t("Uninstall Hook")));
    if (!root || outcome === "refused") {
      return;
    }
    await renewal.removeInstallations(root);
    vscode.window.setStatusBarMessage(
      outcome === "so already"
        ? vscode.l10n.t("There was no hook to uninstall.")
        : vscode.l10n.t("No agent calls the hook any more."),
      MESSAGE_DURATION,
    );
  };

  /** Shows the change of the settings, and writes it if accepted. */
  const changeSettings = async (
    root: string,
    args: readonly string[],
    yes: string,
  ): Promise<ChangeOutcome> => {
    const plan = await cli.requestJson<InstallReport>(root, ...args, "--dry-run");
    if (plan === undefined) {
      return "refused";
    }
    if (changedFiles(plan).length === 0) {
      return "so already";
    }
    const question = vscode.l10n.t("Write this change? The files as they were are kept.");
    const title = vscode.l10n.t("Settings of Agents");
    const isWanted = await proposals.confirm({
      title,
      ...settingsPreview(plan),
      question,
      acceptLabel: yes,
    });
    if (!isWanted || (await cli.requestJson<InstallReport>(root, ...args)) === undefined) {
      return "refused";
    }
    await tree.refresh();
    await vscode.commands.executeCommand("synapse.refreshViews");
    return "written";
  };

  /** Calls the hook as agents do; with `showsPage` the report is shown in any case. */
  const examineHooks = async (root: string, showsPage: boolean): Promise<void> => {
    const title = vscode.l10n.t("Calling the hook as agents do …");
    const location = vscode.ProgressLocation.Notification;
    const health = await vscode.window.withProgress({ location, title }, () =>
      cli.requestJson<HealthReport>(root, "doctor"),
    );
    if (health === undefined) {
      return;
    }
    const works = health.ok && servedClients(health).length > 0;
    void vscode.commands.executeCommand("setContext", "synapse.hookWorks", works);
    if (works && !showsPage) {
      vscode.window.setStatusBarMessage(`$(check) ${healthVerdict(health)}`, MESSAGE_DURATION);
      return;
    }
    await pages.showMarkdown(vscode.l10n.t("Synapse Doctor"), doctorPage(health));
    await offerRemedies(healthVerdict(health), healthRemedies(health));
  };

  const runDoctor = async (): Promise<void> => {
    const root = await cli.requireRoot();
    if (root !== undefined) {
      await examineHooks(root, true);
    }
  };

  const trustTree = async (): Promise<void> => {
    const root = await cli.requireRoot();
    const report = root && (await cli.requestJson<TrustReport>(root, "trust"));
    if (report) {
      const message = report.changed
        ? vscode.l10n.t("Hooks in your own settings serve this tree from now on.")
        : vscode.l10n.t("Hooks in your own settings serve this tree already.");
      vscode.window.setStatusBarMessage(`$(check) ${message}`, MESSAGE_DURATION);
    }
  };

  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    renewal,
    register("synapse.installHook", installHook),
    register("synapse.uninstallHook", uninstallHook),
    register("synapse.doctor", runDoctor),
    register("synapse.trustTree", trustTree),
    register("synapse.showInjectionLog", () =>
      vscode.commands.executeCommand("synapse.injections.focus"),
    ),
  );
}

/** Offers the remedies in a message, since a Markdown page cannot run commands. */
async function offerRemedies(
  verdict: string,
  remedies: readonly ("createTree" | "installHook")[],
): Promise<void> {
  if (remedies.length === 0) {
    return;
  }
  const items = remedies.map((remedy) => ({
    title:
      remedy === "createTree" ? vscode.l10n.t("Create Rule Tree") : vscode.l10n.t("Install Hook"),
    command: `synapse.${remedy}`,
  }));
  const item = await showInformation(verdict, ...items);
  if (item !== undefined) {
    await vscode.commands.executeCommand(item.command);
  }
}

/** Asks whether to install a hook though there is no tree yet; true where there is one. */
async function confirmWithoutTree(root: string): Promise<boolean> {
  const tree = vscode.Uri.joinPath(vscode.Uri.file(root), ".synapse");
  const exists = await vscode.workspace.fs.stat(tree).then(
    () => true,
    () => false,
  );
  if (exists) {
    return true;
  }
  const create = vscode.l10n.t("Create Rule Tree");
  const anyway = vscode.l10n.t("Install Anyway");
  const answer = await showInformation(
    vscode.l10n.t("There is no Synapse rule tree in this folder."),
    { modal: true, detail: vscode.l10n.t("Until there is one, the hook has nothing to inject.") },
    create,
    anyway,
  );
  if (answer === create) {
    await vscode.commands.executeCommand("synapse.createTree");
  }
  return answer === anyway;
}

async function pickClients(
  detected: NonNullable<InstallReport["detected"]>,
): Promise<readonly string[] | undefined> {
  const isCursor = vscode.env.appName.includes("Cursor");
  const hasAgent = isCursor || vscode.extensions.getExtension(COPILOT_CHAT) !== undefined;
  const choices = clientChoices(detected, isCursor ? "cursor" : "vscode", hasAgent);
  const items = await vscode.window.showQuickPick(choices, {
    title: vscode.l10n.t("Install Hook"),
    placeHolder: vscode.l10n.t("Tick the agents that are to get the rules"),
    canPickMany: true,
    matchOnDescription: true,
  });
  if (items?.length !== 0) {
    return items?.map(({ client }) => client);
  }
  const again = vscode.l10n.t("Choose Again");
  const answer = await showWarning(
    vscode.l10n.t("No agent was ticked, so no hook was installed."),
    again,
  );
  return answer === again ? pickClients(detected) : undefined;
}

async function pickScope(
  clients: readonly string[],
  isBundled: boolean,
): Promise<HookScope | undefined> {
  const item = await vscode.window.showQuickPick(scopeChoices(clients, isBundled), {
    title: vscode.l10n.t("Install Hook for {0}", clients.map(clientTitle).join(", ")),
    placeHolder: vscode.l10n.t("Whom is it for?"),
  });
  return item?.scope;
}

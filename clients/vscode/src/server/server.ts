/**
 * This module runs the server process and its connection: it starts, replaces and restarts them one
 * at a time.
 */

import type { ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import type { Connection } from "../connection";
import { type ContextChange, DID_CHANGE_CONTEXT } from "../protocol";
import type { ServerState } from "../server/serverState";
import type { QuietLanguageClient } from "./languageClient";
import { isSameLaunch, type ServerLaunch } from "./launchCommand";
import { isUpToDate, type LaunchResolver, type ResolvedLaunch } from "./launchResolver";
import { LATER, RestartPolicy } from "./restartPolicy";
import { endProcess, startServerProcess, wasKilled } from "./serverProcess";
import { interpreterFailure, serverFailure } from "./serverState";

/** A launch whose process is there already, and so far nobody speaks with it. */
interface PreparedLaunch extends ResolvedLaunch {
  readonly process: ChildProcess | undefined;
}

export class Server implements vscode.Disposable {
  private readonly stateEmitter = new vscode.EventEmitter<ServerState>();
  private readonly contextEmitter = new vscode.EventEmitter<ContextChange>();
  private readonly busyEmitter = new vscode.EventEmitter<boolean>();
  private readonly findingsEmitter = new vscode.EventEmitter<void>();
  readonly onDidChangeState = this.stateEmitter.event;
  readonly onDidChangeContext = this.contextEmitter.event;
  /** Whether the server reports progress: it reads a tree for the first time. */
  readonly onDidChangeBusy = this.busyEmitter.event;
  /** Fires when the server has said what is wrong with an open file. */
  readonly onDidReceiveFindings = this.findingsEmitter.event;

  private currentState: ServerState = { kind: "starting" };
  private client: QuietLanguageClient | undefined;
  private process: ChildProcess | undefined;
  private prepared: Promise<PreparedLaunch> | undefined;
  private currentLaunch: ServerLaunch | undefined;
  private ongoingReplacement: Promise<void> = Promise.resolve();
  private nextReplacement: Promise<void> | undefined;
  private isRestartRequested = false;
  private restartTimer: NodeJS.Timeout | undefined;
  private readonly restartPolicy = new RestartPolicy();

  /** `home` is a folder of the extension; no process of ours starts inside a workspace. */
  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly home: string,
    private readonly resolver: LaunchResolver,
  ) {}

  get state(): ServerState {
    return this.currentState;
  }

  /** The connection of a running server. */
  get connection(): Connection | undefined {
    return this.currentState.kind === "running" ? this.client : undefined;
  }

  /** How the server was started; undefined where no interpreter fits. */
  get launch(): ServerLaunch | undefined {
    return this.currentLaunch;
  }

  /** The version of the running server. */
  get version(): string | undefined {
    return this.connection?.initializeResult?.serverInfo?.version;
  }

  /** Starts the process of the first server ahead of `start`; nobody hears of it before. */
  prepare(): void {
    this.prepared = this.startProcessAhead();
    this.prepared.catch(() => undefined); // reported when it is started
  }

  /** Starts the server anew on request of a person. */
  start(): Promise<void> {
    this.restartPolicy.reset();
    return this.scheduleReplacement(true);
  }

  /** Resolves the launch again, and restarts the server if it has changed. */
  restartIfChanged(): Promise<void> {
    return this.scheduleReplacement(false);
  }

  async stop(): Promise<void> {
    clearTimeout(this.restartTimer);
    await this.ongoingReplacement;
    await this.discardClient();
  }

  dispose(): void {
    vscode.Disposable.from(
      this.stateEmitter,
      this.contextEmitter,
      this.busyEmitter,
      this.findingsEmitter,
    ).dispose();
  }

  /** Schedules a replacement; calls during a replacement share the next one. */
  private scheduleReplacement(isRequested: boolean): Promise<void> {
    this.isRestartRequested ||= isRequested;
    this.nextReplacement ??= this.ongoingReplacement.then(() => {
      const isRequested = this.isRestartRequested;
      this.nextReplacement = undefined;
      this.isRestartRequested = false;
      this.ongoingReplacement = this.replaceServer(isRequested).catch((error: unknown) =>
        this.reportStartError(error),
      );
      return this.ongoingReplacement;
    });
    return this.nextReplacement;
  }

  /** Replaces the server; unless `isRequested`, an unchanged launch is left as it is. */
  private async replaceServer(isRequested: boolean): Promise<void> {
    clearTimeout(this.restartTimer);
    if (isRequested) {
      this.setState({ kind: "starting" });
    }
    const prepared = await this.takePrepared();
    const { choice, launch } = prepared ?? (await this.resolver.resolve());
    if (!isRequested && launch && this.currentLaunch && isSameLaunch(launch, this.currentLaunch)) {
      return;
    }
    await this.discardClient();
    this.currentLaunch = launch;
    if (launch === undefined) {
      this.setState({ kind: "stopped", failure: interpreterFailure(choice) });
      return;
    }
    this.setState({ kind: "starting" });
    this.process = prepared?.process ?? startServerProcess(launch, this.home, this.log);
    await this.connectClient(launch, this.process);
  }

  private async startProcessAhead(): Promise<PreparedLaunch> {
    const resolved = await this.resolver.resolve();
    const { launch } = resolved;
    const process = launch && startServerProcess(launch, this.home, this.log);
    await import("./languageClient"); // most of our code: it is read while Python starts
    return { ...resolved, process };
  }

  /** Returns what was prepared, once, unless a person has changed something since. */
  private async takePrepared(): Promise<PreparedLaunch | undefined> {
    const waiting = this.prepared;
    this.prepared = undefined;
    const prepared = await waiting;
    if (prepared === undefined || isUpToDate(prepared)) {
      return prepared;
    }
    if (prepared.process) {
      endProcess(prepared.process);
    }
    return undefined;
  }

  private async connectClient({ trusted }: ServerLaunch, process: ChildProcess): Promise<void> {
    const { QuietLanguageClient, State } = await import("./languageClient");
    const settings = vscode.workspace.getConfiguration("synapse");
    const client = new QuietLanguageClient(process, this.log, { trusted, settings });
    this.client = client;
    client.onDidChangeState(({ oldState, newState }) => {
      if (this.client !== client) {
        return; // A client that has been discarded reports its end too; that is no news.
      }
      if (oldState === State.Running && newState === State.Stopped) {
        this.restartAfterCrash();
      }
    });
    client.onDidChangeBusy((busy) => this.busyEmitter.fire(busy));
    client.onDidReceiveFindings(() => this.findingsEmitter.fire());
    client.onNotification(DID_CHANGE_CONTEXT, (change: ContextChange) =>
      this.contextEmitter.fire(change),
    );
    await client.start();
    // By now it has asked for what is wrong with open files: nobody else's questions come before.
    if (this.client === client && client.isRunning()) {
      this.setState({ kind: "running" });
    }
  }

  /** Says that the server could not be started; one that was killed meanwhile is started again. */
  private async reportStartError(error: unknown): Promise<void> {
    this.log.error(String(error));
    if (this.process && (await wasKilled(this.process))) {
      this.restartAfterCrash();
      return;
    }
    if (this.process) {
      endProcess(this.process);
    }
    const problem = vscode.l10n.t("The Synapse server could not be started.");
    this.setState({ kind: "stopped", failure: serverFailure(problem) });
  }

  /** Restarts a server that has crashed after it was running, or was killed while it started. */
  private restartAfterCrash(): void {
    clearTimeout(this.restartTimer);
    const delay = this.restartPolicy.nextDelay(Date.now());
    this.busyEmitter.fire(false);
    this.log.warn(`The server has stopped by itself; it is started again in ${delay} ms.`);
    if (delay === LATER) {
      const problem = vscode.l10n.t(
        "The Synapse server stops again and again. It is tried again in five minutes.",
      );
      this.setState({ kind: "stopped", failure: serverFailure(problem) });
    } else {
      this.setState({ kind: "starting" });
    }
    this.restartTimer = setTimeout(() => void this.scheduleReplacement(true), delay);
  }

  private async discardClient(): Promise<void> {
    const { client, process } = this;
    this.client = undefined;
    this.process = undefined;
    if (client?.isRunning()) {
      await client.stop().catch((error: unknown) => this.log.warn(String(error)));
    }
    await client?.dispose().catch((error: unknown) => this.log.warn(String(error)));
    if (process) {
      endProcess(process);
    }
  }

  private setState(state: ServerState): void {
    this.currentState = state;
    this.stateEmitter.fire(state);
  }
}

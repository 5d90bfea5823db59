/** Runs one suite: a new copy of the showcase, a new window, its checks. */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import type { CodeServer, Installation, Settings } from "./codeServer.ts";
import { serverIn, until } from "./processes.ts";
import type { Report } from "./report.ts";
import type { Place, Suite } from "./suite.ts";
import { Workbench } from "./workbench.ts";

/** What all suites share. */
export interface Stage {
  readonly browser: Browser;
  readonly code: Installation;
  readonly report: Report;
  /** The folder in which all of it happens. */
  readonly run: string;
  /** What each suite gets a copy of. */
  readonly template: string;
  readonly pictures: string;
  readonly python: string;
}

export async function runSuite(name: string, suite: Suite, stage: Stage): Promise<void> {
  const { browser, code, report, pictures, python, run } = stage;
  const scratch = path.join(run, name);
  const workspace = path.join(scratch, "showcase");
  cpSync(stage.template, workspace, { recursive: true });
  const place: Place = {
    workspace,
    scratch,
    profile: code.profile,
    python,
    read: (file) => readFileSync(path.join(workspace, file), "utf8"),
    write: (file, text) => {
      mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true });
      writeFileSync(path.join(workspace, file), text);
    },
  };
  const settings = suite.settings ?? {};
  code.set(settings);

  console.log(`\n${name}`);
  let server: CodeServer | undefined;
  let window: Workbench | undefined;
  const picture = async (title: string): Promise<void> => {
    const file = path.join(pictures, `${title}.png`);
    await window?.page.screenshot({ path: file, animations: "disabled" });
  };
  const onFailure = (title: string): Promise<void> => picture(`failed-${name}-${title}`);
  try {
    const { folder = workspace, file } = (await suite.prepare?.(place)) ?? {};
    server = await code.start(suite.environment);
    window = await Workbench.open(browser, server.authority, folder, file);
    await suite.checks({
      ...place,
      window,
      picture,
      check: (title, body) => report.check(title, body, onFailure),
      set: (changes: Settings) => code.set({ ...settings, ...changes }),
      server: () => serverIn(run),
      measured: (title, milliseconds) => report.measured(title, milliseconds),
    });
  } catch (error) {
    const broken = (): Promise<void> => Promise.reject(error);
    await report.check(`${name}: the window opens and the checks run`, broken, onFailure);
  }
  await window?.close();
  await server?.stop();
  await until(() => serverIn(run) === undefined); // What the window has started ends with it.
}

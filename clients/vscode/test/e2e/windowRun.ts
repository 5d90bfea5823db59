/** Runs suites in a window of their own: a new copy of the showcase, then the checks. */

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import type { CodeInstallation, CodeServer, Settings } from "./codeServer.ts";
import { waitUntil } from "./processes.ts";
import type { Suite, Suites, SuiteWorkspace, WindowTarget } from "./suite.ts";
import type { TestReport } from "./testReport.ts";
import { Workbench } from "./workbench.ts";

/** What all windows share. */
export interface Stage {
  readonly report: TestReport;
  /** What each window gets a copy of. */
  readonly template: string;
  readonly pictures: string;
  readonly python: string;
}

/** What one window after another is shown in, while another lane shows others. */
export interface Lane {
  readonly browser: Browser;
  readonly code: CodeInstallation;
  /** The folder in which all of it happens. */
  readonly folder: string;
}

export async function runWindow(suites: Suites, lane: Lane, stage: Stage): Promise<void> {
  const { browser, code } = lane;
  const { report, pictures } = stage;
  const name = Object.keys(suites).join(", ");
  const chapter = report.openChapter(name);
  const place = createPlace(Object.keys(suites).join("-"), lane, stage);
  cpSync(stage.template, place.workspace, { recursive: true });
  const settings = mergeOptions(suites, (suite) => suite.settings);
  code.writeSettings(settings);

  let server: CodeServer | undefined;
  let window: Workbench | undefined;
  const shot = async (file: string): Promise<void> => {
    await window?.page.screenshot({ path: file, animations: "disabled" });
  };
  // Beside what else is left behind, where the next run does not clear it away.
  const onFailure = (title: string): Promise<void> =>
    shot(path.join(place.scratch, `${title}.png`));
  try {
    const { folder = place.workspace, file } = await prepareSuites(suites, place);
    server = await code.start(mergeOptions(suites, (suite) => suite.environment));
    const original = path.join(place.scratch, "original");
    cpSync(place.workspace, original, { recursive: true });
    const language = Object.values(suites).find((suite) => suite.language)?.language;
    window = await Workbench.open(browser, server.authority, { folder, file, language });
    for (const [index, suite] of Object.values(suites).entries()) {
      if (index > 0) {
        code.writeSettings(settings);
        await window.resetLayout();
        restoreFolder(place.workspace, original);
        await window.statusItem("FRESH · 100% left").waitFor();
      }
      await suite.checks({
        ...place,
        window,
        picture: (title) => shot(path.join(pictures, `${title}.png`)),
        check: (title, body) => chapter.check(title, body, onFailure),
        changeSettings: (changes: Settings) => code.writeSettings({ ...settings, ...changes }),
        serverProcess: () => code.serverProcess(),
        addFigure: (title, milliseconds) => report.addFigure(title, milliseconds),
      });
    }
  } catch (error) {
    const broken = (): Promise<void> => Promise.reject(error);
    await chapter.check(`${name}: the window opens and the checks run`, broken, onFailure);
  }
  await window?.close();
  await server?.stop();
  await waitUntil(() => code.serverProcess() === undefined); // What the window has started ends with it.
  chapter.close();
}

function createPlace(name: string, { code, folder }: Lane, { python }: Stage): SuiteWorkspace {
  const scratch = path.join(folder, name);
  const workspace = path.join(scratch, "showcase");
  return {
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
}

/** What is opened, once each suite has changed the copy as it wants it. */
async function prepareSuites(suites: Suites, place: SuiteWorkspace): Promise<WindowTarget> {
  let target: WindowTarget = {};
  for (const suite of Object.values(suites)) {
    target = { ...target, ...(await suite.prepare?.(place)) };
  }
  return target;
}

/** What has come since goes, and what was changed is as it was. */
function restoreFolder(folder: string, original: string): void {
  for (const name of readdirSync(folder, { encoding: "utf8", recursive: true })) {
    if (!existsSync(path.join(original, name))) {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    }
  }
  cpSync(original, folder, { recursive: true });
}

function mergeOptions<T extends object>(
  suites: Suites,
  select: (suite: Suite) => T | undefined,
): T {
  return Object.assign({}, ...Object.values(suites).map(select));
}

/**
 * This module chooses the Python interpreter for the server: sources, probe answers, verdicts.
 * Pure.
 */

export const OLDEST_PYTHON = "3.11";
/** The newest Python that is looked for by its full name, where `python3` is an older one. */
const NEWEST_MINOR = 14;

/** Where the name of an interpreter comes from. */
export type InterpreterOrigin = "setting" | "python-envs" | "python" | "path";

/** A command line without the part that names what to run. */
export interface InterpreterCandidate {
  readonly command: string;
  readonly args: readonly string[];
}

/** A source of interpreters. It is asked only where the sources before it have none that fits. */
export interface InterpreterSource {
  readonly origin: InterpreterOrigin;
  findCandidates(): Promise<readonly InterpreterCandidate[]>;
}

/**
 * The answer of a probed candidate. `server` is empty where the package is not installed, or nobody
 * wanted to know.
 */
export type ProbeAnswer =
  | { readonly kind: "answered"; readonly python: string; readonly server: string }
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly detail: string };

export type ProbeVerdict = "fits" | "old-python" | "absent" | "failed";

export interface ProbeAttempt {
  readonly origin: InterpreterOrigin;
  readonly candidate: InterpreterCandidate;
  readonly answer: ProbeAnswer;
  readonly verdict: ProbeVerdict;
}

/** An interpreter that fits. */
export interface Interpreter {
  readonly origin: InterpreterOrigin;
  readonly candidate: InterpreterCandidate;
  readonly python: string;
  readonly server: string;
}

export interface InterpreterChoice {
  readonly attempts: readonly ProbeAttempt[];
  readonly chosen: Interpreter | undefined;
}

/**
 * These scripts print the version of Python and, the second one, that of the installed server, one a
 * line. They must be valid in every Python: an old one has to answer with its version and not with a
 * syntax error.
 */
const PYTHON_SCRIPT = `import sys
print("%d.%d.%d" % sys.version_info[:3])
`;
const SERVER_SCRIPT = `${PYTHON_SCRIPT}try:
    from importlib.metadata import version
    print(version("synapse-ls"))
except Exception:
    print("")
`;

/**
 * Returns the arguments by which an interpreter tells its version, and that of the server installed
 * there if somebody wants to know it: that takes several times as long.
 */
export function probeArguments(wantsServer: boolean): string[] {
  return wantsServer ? ["-c", SERVER_SCRIPT] : ["-E", "-s", "-S", "-c", PYTHON_SCRIPT];
}

/** Returns the interpreter that the setting names, with home and workspace folder filled in. */
export function interpreterFromSetting(
  setting: string,
  home: string,
  folder: string | undefined,
): InterpreterCandidate | undefined {
  const expandedPath = setting.trim().replace(/^~(?=$|[\\/])/, () => home);
  if (expandedPath === "") {
    return undefined;
  }
  const command =
    folder === undefined
      ? expandedPath
      : expandedPath.replace(/\$\{workspaceFolder\}/g, () => folder);
  return { command, args: [] };
}

/** Returns the names under which a Python may be on the path. */
export function pathCandidates(platform: NodeJS.Platform): InterpreterCandidate[] {
  if (platform === "win32") {
    return [{ command: "py", args: ["-3"] }, ...plainCandidates("python", "python3")];
  }
  const minors = Array.from({ length: NEWEST_MINOR - 10 }, (_, index) => NEWEST_MINOR - index);
  return plainCandidates("python3", "python", ...minors.map((minor) => `python3.${minor}`));
}

/** Returns the sources in order. An interpreter from the setting is never silently replaced. */
export function interpreterSources(
  setting: InterpreterCandidate | undefined,
  extensions: readonly InterpreterSource[],
  onPath: readonly InterpreterCandidate[],
): readonly InterpreterSource[] {
  return setting === undefined
    ? [...extensions, { origin: "path", findCandidates: async () => onPath }]
    : [{ origin: "setting", findCandidates: async () => [setting] }];
}

/** Returns the first candidate that fits; later ones are not started, and none is started twice. */
export async function chooseInterpreter(
  sources: readonly InterpreterSource[],
  probe: (candidate: InterpreterCandidate) => Promise<ProbeAnswer>,
): Promise<InterpreterChoice> {
  const attempts: ProbeAttempt[] = [];
  const triedNames = new Set<string>();
  for (const { origin, findCandidates: find } of sources) {
    for (const candidate of await find()) {
      if (triedNames.has(commandText(candidate))) {
        continue;
      }
      triedNames.add(commandText(candidate));
      const answer = await probe(candidate);
      const verdict = judgeAnswer(answer);
      attempts.push({ origin, candidate, answer, verdict });
      if (verdict === "fits" && answer.kind === "answered") {
        const { python, server } = answer;
        return { attempts, chosen: { origin, candidate, python, server } };
      }
    }
  }
  return { attempts, chosen: undefined };
}

export function judgeAnswer(answer: ProbeAnswer): ProbeVerdict {
  if (answer.kind !== "answered") {
    return answer.kind;
  }
  return isOlderVersion(answer.python, OLDEST_PYTHON) ? "old-python" : "fits";
}

/** Parses what a probed interpreter prints. */
export function parseProbeOutput(output: string): ProbeAnswer {
  const [python = "", server = ""] = output.split(/\r?\n/);
  return /^\d+(\.\d+)+$/.test(python)
    ? { kind: "answered", python, server: server.trim() }
    : { kind: "failed", detail: output.trim() };
}

/** Returns a candidate as a command line. */
export function commandText(candidate: InterpreterCandidate): string {
  return [candidate.command, ...candidate.args].join(" ");
}

/** Compares release numbers only: `0.2.0.dev1` is as good as `0.2.0`. */
export function isOlderVersion(version: string, minimum: string): boolean {
  const parts = versionNumbers(version);
  for (const [index, least] of versionNumbers(minimum).entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) {
      return part < least;
    }
  }
  return false;
}

function plainCandidates(...names: readonly string[]): InterpreterCandidate[] {
  return names.map((command) => ({ command, args: [] }));
}

function versionNumbers(version: string): number[] {
  return (/^\d+(\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}

/** Which Python runs the server: where to look, what each candidate answered, the choice. Pure. */

export const OLDEST_PYTHON = "3.11";
/** The newest Python that is looked for by its full name, where `python3` is an older one. */
const NEWEST_MINOR = 14;

/** Who names an interpreter. */
export type Origin = "setting" | "python-envs" | "python" | "path";

/** A command line without the part that names what to run. */
export interface Candidate {
  readonly command: string;
  readonly args: readonly string[];
}

/** A place to look for interpreters. It is asked only where those before it have none that fits. */
export interface Source {
  readonly origin: Origin;
  find(): Promise<readonly Candidate[]>;
}

/** What starting a candidate told. `server` is empty where the package is not installed. */
export type Answer =
  | { readonly kind: "answered"; readonly python: string; readonly server: string }
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly detail: string };

export type Verdict = "fits" | "old-python" | "absent" | "failed";

export interface Attempt {
  readonly origin: Origin;
  readonly candidate: Candidate;
  readonly answer: Answer;
  readonly verdict: Verdict;
}

/** An interpreter that fits. */
export interface Interpreter {
  readonly origin: Origin;
  readonly candidate: Candidate;
  readonly python: string;
  readonly server: string;
}

export interface Choice {
  readonly attempts: readonly Attempt[];
  readonly chosen: Interpreter | undefined;
}

/**
 * Prints the version of Python and that of the installed server, one a line. It must be valid in
 * every Python: an old one has to answer with its version and not with a syntax error.
 */
export const PROBE = `import sys
print("%d.%d.%d" % sys.version_info[:3])
try:
    from importlib.metadata import version
    print(version("synapse-ls"))
except Exception:
    print("")
`;

/** What a person has named, with home and workspace folder filled in; undefined for nothing. */
export function named(
  setting: string,
  home: string,
  folder: string | undefined,
): Candidate | undefined {
  const expanded = setting.trim().replace(/^~(?=$|[\\/])/, () => home);
  if (expanded === "") {
    return undefined;
  }
  const command =
    folder === undefined ? expanded : expanded.replace(/\$\{workspaceFolder\}/g, () => folder);
  return { command, args: [] };
}

/** The names under which a Python is on the path. */
export function onPath(platform: NodeJS.Platform): Candidate[] {
  if (platform === "win32") {
    return [{ command: "py", args: ["-3"] }, ...plain("python", "python3")];
  }
  const minors = Array.from({ length: NEWEST_MINOR - 10 }, (_, index) => NEWEST_MINOR - index);
  return plain("python3", "python", ...minors.map((minor) => `python3.${minor}`));
}

/** Where to look, in order. An interpreter that a person named is never silently replaced. */
export function sourcesOf(
  setting: Candidate | undefined,
  extensions: readonly Source[],
  platform: NodeJS.Platform,
): readonly Source[] {
  return setting === undefined
    ? [...extensions, { origin: "path", find: async () => onPath(platform) }]
    : [{ origin: "setting", find: async () => [setting] }];
}

/** The first candidate that fits; those after it are not started, and none is started twice. */
export async function choose(
  sources: readonly Source[],
  probe: (candidate: Candidate) => Promise<Answer>,
): Promise<Choice> {
  const attempts: Attempt[] = [];
  const tried = new Set<string>();
  for (const { origin, find } of sources) {
    for (const candidate of await find()) {
      if (tried.has(spelled(candidate))) {
        continue;
      }
      tried.add(spelled(candidate));
      const answer = await probe(candidate);
      const verdict = judge(answer);
      attempts.push({ origin, candidate, answer, verdict });
      if (verdict === "fits" && answer.kind === "answered") {
        const { python, server } = answer;
        return { attempts, chosen: { origin, candidate, python, server } };
      }
    }
  }
  return { attempts, chosen: undefined };
}

export function judge(answer: Answer): Verdict {
  if (answer.kind !== "answered") {
    return answer.kind;
  }
  return isOlder(answer.python, OLDEST_PYTHON) ? "old-python" : "fits";
}

/** Reads what `PROBE` printed. */
export function answerOf(output: string): Answer {
  const [python = "", server = ""] = output.split(/\r?\n/);
  return /^\d+(\.\d+)+$/.test(python)
    ? { kind: "answered", python, server: server.trim() }
    : { kind: "failed", detail: output.trim() };
}

/** The name of a candidate as one would type it. */
export function spelled(candidate: Candidate): string {
  return [candidate.command, ...candidate.args].join(" ");
}

/** Compares release numbers only: `0.2.0.dev1` is as good as `0.2.0`. */
export function isOlder(version: string, than: string): boolean {
  const parts = numbers(version);
  for (const [index, least] of numbers(than).entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) {
      return part < least;
    }
  }
  return false;
}

function plain(...names: readonly string[]): Candidate[] {
  return names.map((command) => ({ command, args: [] }));
}

function numbers(version: string): number[] {
  return (/^\d+(\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}

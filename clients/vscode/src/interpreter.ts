/** Which Python runs the server: the candidates, what each answered, and the choice. Pure. */

export const OLDEST_PYTHON = "3.11";
export const OLDEST_SERVER = "0.1.0";

/** A command line without the part that names the module to run. */
export interface Candidate {
  readonly command: string;
  readonly args: readonly string[];
}

/** What starting a candidate told. `server` is empty where the package is not installed. */
export type Answer =
  | { readonly kind: "answered"; readonly python: string; readonly server: string }
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly detail: string };

export type Verdict = "fits" | "old-python" | "no-server" | "old-server" | "absent" | "failed";

export interface Attempt {
  readonly candidate: Candidate;
  readonly answer: Answer;
  readonly verdict: Verdict;
}

export interface Choice {
  /** The last attempt is the one that fits, if any does. */
  readonly attempts: readonly Attempt[];
  readonly chosen: Candidate | undefined;
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

/** The interpreters to try, in order. One that a person named is never silently replaced. */
export function candidates(
  setting: string,
  platform: NodeJS.Platform,
  home: string,
  folder: string | undefined,
): Candidate[] {
  const named = expand(setting.trim(), home, folder);
  if (named !== "") {
    return [{ command: named, args: [] }];
  }
  return platform === "win32"
    ? [
        { command: "py", args: ["-3"] },
        { command: "python", args: [] },
      ]
    : [
        { command: "python3", args: [] },
        { command: "python", args: [] },
      ];
}

/** The first candidate that fits; those after it are not started. */
export async function choose(
  tried: readonly Candidate[],
  probe: (candidate: Candidate) => Promise<Answer>,
): Promise<Choice> {
  const attempts: Attempt[] = [];
  for (const candidate of tried) {
    const answer = await probe(candidate);
    const verdict = judge(answer);
    attempts.push({ candidate, answer, verdict });
    if (verdict === "fits") {
      return { attempts, chosen: candidate };
    }
  }
  return { attempts, chosen: undefined };
}

export function judge(answer: Answer): Verdict {
  if (answer.kind !== "answered") {
    return answer.kind;
  }
  if (isOlder(answer.python, OLDEST_PYTHON)) {
    return "old-python";
  }
  if (answer.server === "") {
    return "no-server";
  }
  return isOlder(answer.server, OLDEST_SERVER) ? "old-server" : "fits";
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

function expand(setting: string, home: string, folder: string | undefined): string {
  const expanded = setting.replace(/^~(?=$|[\\/])/, () => home);
  return folder === undefined ? expanded : expanded.replace(/\$\{workspaceFolder\}/g, () => folder);
}

/** Compares release numbers only: `0.2.0.dev1` is as good as `0.2.0`. */
function isOlder(version: string, than: string): boolean {
  const parts = numbers(version);
  const bound = numbers(than);
  for (const [index, least] of bound.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) {
      return part < least;
    }
  }
  return false;
}

function numbers(version: string): number[] {
  return (/^\d+(\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}

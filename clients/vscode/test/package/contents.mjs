/**
 * What is going to be packaged: nothing that is missing, nothing that does not belong, nothing too big.
 *
 *     node contents.mjs FILES
 *
 * FILES has the paths as `vsce ls` gives them, one a line, relative to the working directory.
 */

import { readFileSync, statSync } from "node:fs";
import path from "node:path";

/** What, which files, and the most bytes of them. */
const BUDGETS = [
  ["extension", /^dist\/extension\.js$/, 150_000],
  ["language client", /^dist\/languageClient\.js$/, 500_000],
  ["panel script", /^dist\/panel\/.*\.js$/, 60_000],
  ["server", /^dist\/server\//, 9_200_000],
  ["pictures", /^media\//, 200_000],
];
/** Sources, what is compiled for one system, and what only development needs. */
const FOREIGN = /\.(tsx?|map|pyi|pyc|so|pyd|dll|dylib|vsix)$|(^|\/)(test|tests|node_modules)\//;

const files = readFileSync(process.argv[2] ?? "", "utf8")
  .split("\n")
  .filter(Boolean);
const there = new Set(files);
const wrong = [];

for (const [what, pattern, most] of BUDGETS) {
  const bytes = files
    .filter((file) => pattern.test(file))
    .reduce((total, file) => total + statSync(file).size, 0);
  console.log(`${what}: ${Math.ceil(bytes / 1000)} of ${most / 1000} kB`);
  if (bytes > most) {
    wrong.push(`${what} is ${bytes - most} bytes too big`);
  }
}
wrong.push(...files.filter((file) => FOREIGN.test(file)).map((file) => `${file} does not belong`));
for (const file of mentionedFiles(JSON.parse(readFileSync("package.json", "utf8")))) {
  if (!there.has(file)) {
    wrong.push(`${file} is missing, but package.json names it`);
  }
}
for (const name of [
  "dist/languageClient.js",
  "dist/server/__main__.py",
  "package.nls.pt-br.json",
  "package.nls.es.json",
  "LICENSE",
  "CHANGELOG.md",
]) {
  if (!there.has(name)) {
    wrong.push(`${name} is missing`);
  }
}
console.log(wrong.length === 0 ? `${files.length} files` : wrong.join("\n"));
process.exitCode = wrong.length === 0 ? 0 : 1;

/** The files that the manifest names: every string in it that is a path with an ending. */
function mentionedFiles(value) {
  if (typeof value === "string") {
    return /^(\.\/)?(dist|media|syntaxes|snippets)\/[\w./-]+\.\w+$/.test(value)
      ? [path.posix.normalize(value)]
      : [];
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value)
        .filter(([name]) => name !== "scripts")
        .flatMap(([, inner]) => mentionedFiles(inner))
    : [];
}

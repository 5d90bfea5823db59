/**
 * Bundles the unit tests with a stand-in for the editor's module, and runs them under node:test:
 *
 *     node test/unit.mjs [NAME …]
 *
 * With names only those of these modules: `node test/unit.mjs grammar status`.
 */

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = here("unit");
const wanted = process.argv.slice(2).map((name) => `${name}.test.ts`);
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => wanted.length === 0 || wanted.includes(name));

await build({
  entryPoints: names.map((name) => `${folder}/${name}`),
  outdir: here("../dist/test"),
  alias: { vscode: `${folder}/vscodeStub.ts` },
  bundle: true,
  platform: "node",
  format: "cjs",
  sourcemap: "inline",
  logLevel: "warning",
});

const bundles = names.map((name) => here(`../dist/test/${name.replace(/\.ts$/, ".js")}`));
const { status } = spawnSync(
  process.execPath,
  ["--enable-source-maps", "--test", "--test-reporter=dot", ...bundles],
  { stdio: "inherit" },
);
process.exit(status ?? 1);

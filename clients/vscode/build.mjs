/**
 * Bundles the extension into `dist/`: what is there at once, the language client that is loaded
 * when a server starts, and the script of the Context panel.
 *
 *     node build.mjs [--watch]
 */

import { context } from "esbuild";

const watching = process.argv.includes("--watch");
const common = {
  bundle: true,
  minify: !watching,
  sourcemap: watching,
  logLevel: "warning",
};

const node = {
  ...common,
  outdir: "dist",
  platform: "node",
  format: "cjs",
  target: "node20",
  // An extension gets "vscode" by `require` alone, so its second part is loaded by `require` too.
  supported: { "dynamic-import": false },
};

/**
 * The editor makes each `require("vscode")` a search, and esbuild copies the whole API for each
 * `import * as vscode`: together more than all the rest of loading. So it is asked for once, and its
 * object is a parent to inherit from, with nothing of its own to copy.
 */
const ONE_API = `"use strict";
require = ((load) => {
  const api = Object.create(load("vscode"));
  return (name) => (name === "vscode" ? api : load(name));
})(require);`;

const bundles = await Promise.all([
  context({
    ...node,
    entryPoints: ["src/extension.ts"],
    external: ["vscode", "./languageClient"],
    banner: { js: ONE_API },
  }),
  context({ ...node, entryPoints: ["src/server/languageClient.ts"], external: ["vscode"] }),
  context({
    ...common,
    entryPoints: ["src/panel/webview/panel.ts"],
    outdir: "dist/panel",
    format: "iife",
    target: "es2022",
  }),
]);

if (watching) {
  await Promise.all(bundles.map((bundle) => bundle.watch()));
} else {
  await Promise.all(bundles.map((bundle) => bundle.rebuild()));
  await Promise.all(bundles.map((bundle) => bundle.dispose()));
}

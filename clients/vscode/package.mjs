/**
 * Builds the extension with the server and its libraries inside: build/synapse-ls.vsix.
 *
 *     npm ci --ignore-scripts && npm run package
 *     node package.mjs --libraries     only fetches the libraries, and prints their folder
 *
 * Any Node from 20 on does it, on any system; a Python from 3.11 on with pip (PYTHON names one) fetches the
 * libraries, once, and tries the server. Nothing in the package is made for one system, and the same
 * files give the same bytes: it has no times, no owners and no order of its own. A package that is there
 * already and made of the same files stays.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const extension = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(extension, "..", "..");
const build = path.join(root, "build");
const dist = path.join(extension, "dist");
const server = path.join(dist, "server");
const vsix = path.join(build, "synapse-ls.vsix");
const requirements = path.join(extension, "python", "requirements.txt");

/** What is no part of the package, or no file that somebody has written. */
const PASSED_OVER = /^(__pycache__|node_modules|dist|e2e|unit|\..*)$/;
/** What only pip needs; the licences stay. */
const FOR_PIP = /^(RECORD|INSTALLER|REQUESTED|WHEEL|bin|.*\.pyi)$/;
/** Seconds since 1970 that every file in the package has as its time. */
const FILE_TIME = "946771200";

const PYTHON_IS_NEW = "import sys, pip; print(sys.version_info >= (3, 11))";
const README = `
import runpy, sys
from pathlib import Path
root, folder = Path(sys.argv[1]), "clients/vscode"
sys.path.insert(0, str(root / "server"))
from synapse_ls.version import REPOSITORY, VERSION
write = runpy.run_path(str(root / "scripts" / "hatch_metadata.py"))["published_readme"]
text = write((root / folder / "README.md").read_text("utf-8"), REPOSITORY, VERSION, folder)
Path(sys.argv[2]).write_text(text, "utf-8", newline="\\n")
`;

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** Runs a program to its end and returns what it has printed; what went wrong ends this program. */
function run(program, args, problem, options = {}) {
  const done = spawnSync(program, args, { cwd: extension, encoding: "utf8", ...options });
  if (done.status !== 0) {
    fail(`${done.error?.message ?? done.stderr}${done.stdout ?? ""}\n${problem}`);
  }
  return done.stdout;
}

/** Returns the command of the first Python that is new enough and has pip. */
function findPython() {
  const environments = [".venv/bin/python", ".venv/Scripts/python.exe"];
  const candidates = [
    ...(process.env.PYTHON ? [[process.env.PYTHON]] : []),
    ...environments.map((name) => [path.join(root, name)]),
    ["python3"],
    ["python"],
    ["py", "-3"],
  ];
  const isNew = ([program, ...args]) =>
    spawnSync(program, [...args, "-c", PYTHON_IS_NEW], { encoding: "utf8" }).stdout?.trim() ===
    "True";
  return candidates.find(isNew) ?? fail("No Python from 3.11 on with pip; PYTHON=… names one.");
}

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!PASSED_OVER.test(entry.name)) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        yield* filesBelow(file);
      } else {
        yield file;
      }
    }
  }
}

/** Returns the digest of whatever goes into the package, and of the package. */
function digestOfInputs() {
  const folders = [
    extension,
    path.join(root, "server", "synapse_ls"),
    path.join(root, "docs", "schema"),
  ];
  const files = folders.flatMap((folder) => [...filesBelow(folder)]);
  const others = [
    path.join(extension, ".vscodeignore"),
    path.join(root, "scripts", "hatch_metadata.py"),
  ];
  const digest = createHash("sha256").update(process.version);
  for (const file of [...files, ...others, vsix].sort()) {
    digest.update(`\0${path.relative(root, file)}\0`).update(readFileSync(file));
  }
  return digest.digest("hex");
}

/** Returns the folder of the pure Python libraries, for any system. */
function fetchLibraries([program, ...args]) {
  const name = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const folder = path.join(process.env.SYNAPSE_LS_TESTS ?? build, `libraries-${name}`);
  if (!existsSync(folder)) {
    const part = `${folder}.${process.pid}`;
    const options = [
      ...["--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps"],
      ...["--require-hashes", "--only-binary", ":all:", "--implementation", "py", "--abi", "none"],
      ...["--platform", "any", "--python-version", "3.11"],
    ];
    run(
      program,
      [...args, "-m", "pip", "install", ...options, "--target", part, "-r", requirements],
      "The server's libraries could not be fetched; the messages of pip are above.",
    );
    renameSync(part, folder);
  }
  return folder;
}

function copyFolder(from, to, passedOver) {
  cpSync(from, to, { recursive: true, filter: (file) => !passedOver.test(path.basename(file)) });
}

/** Takes out of an archive what tells systems apart: the permissions that its files had. */
function normalizePermissions(file) {
  const archive = readFileSync(file);
  const end = archive.lastIndexOf("PK\x05\x06", undefined, "latin1");
  let at = archive.readUInt32LE(end + 16);
  for (let count = archive.readUInt16LE(end + 10); count > 0; count -= 1) {
    archive.writeUInt32LE((0o100644 << 16) >>> 0, at + 38);
    at += 46 + [28, 30, 32].reduce((sum, place) => sum + archive.readUInt16LE(at + place), 0);
  }
  writeFileSync(file, archive);
}

if (process.argv[2] === "--libraries") {
  console.log(fetchLibraries(findPython()));
  process.exit(0);
}

const stamp = `${vsix}.stamp`;
const [madeOf, summary] = existsSync(stamp) ? readFileSync(stamp, "utf8").split("\n") : [];
if (existsSync(vsix) && madeOf === digestOfInputs()) {
  console.log(summary);
  process.exit(0);
}

const python = findPython();
const [program, ...args] = python;
const libraries = fetchLibraries(python);
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
mkdirSync(build, { recursive: true });
copyFolder(libraries, server, FOR_PIP);
copyFolder(path.join(root, "server", "synapse_ls"), path.join(server, "synapse_ls"), PASSED_OVER);
cpSync(path.join(extension, "python", "__main__.py"), path.join(server, "__main__.py"));
copyFolder(path.join(root, "docs", "schema"), path.join(dist, "schemas"), PASSED_OVER);
run(process.execPath, ["build.mjs"], "The extension could not be bundled; the messages are above.");

// Without -S, what is installed beside the interpreter could make up for what is missing here.
const version = run(
  program,
  [...args, "-I", "-S", "-B", "test/package/handshake.py", server],
  "The packaged server does not answer; its message is above.",
).trim();
// Its page shows pictures where they have an address.
const readme = path.join(dist, "README.md");
run(
  program,
  [...args, "-B", "-c", README, root, readme],
  "The extension's page could not be written.",
);

const vsce = path.join(extension, "node_modules", "@vscode", "vsce", "vsce");
const common = ["--no-dependencies", "--readme-path", "dist/README.md"];
const list = run(process.execPath, [vsce, "ls", ...common], "The files could not be listed.");
writeFileSync(path.join(dist, "files.txt"), list);
const sizes = run(
  process.execPath,
  ["test/package/contents.mjs", "dist/files.txt"],
  "The package is not as it should be.",
);
writeFileSync(path.join(dist, "sizes.txt"), sizes);
// Which files there may be has just been looked at; searching each for secrets takes longer than all the rest.
run(
  process.execPath,
  [
    vsce,
    "package",
    ...common,
    "--allow-missing-repository",
    "--allow-package-all-secrets",
    "--out",
    vsix,
  ],
  "The package could not be made; the messages are above.",
  { env: { ...process.env, SOURCE_DATE_EPOCH: FILE_TIME, TZ: "UTC" } },
);
normalizePermissions(vsix);
chmodSync(vsix, 0o644);
const bytes = readFileSync(vsix).length;
const LIMIT = 5_000_000;
if (bytes > LIMIT) {
  fail(`The package has ${bytes} bytes, more than ${LIMIT}.`);
}
const said = `build/synapse-ls.vsix: ${Math.floor(bytes / 1000)} kB, with ${version} inside`;
writeFileSync(stamp, `${digestOfInputs()}\n${said}\n`);
console.log(said);

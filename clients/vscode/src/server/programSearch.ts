/** This module finds programs on the search path, never inside a folder that is not trusted. */

import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { devNull, homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import type { InterpreterCandidate } from "./interpreterSearch";

/** Those of `workspace/user_folders.py`. */
const PROJECT_SIGNS = [
  ".carl",
  ".carl/carl.json",
  ".carl/manifest",
  ".chati",
  ".git",
  ".synapse",
  "chati.dev",
  "memory/short_term.md",
  "squads",
  "system/core_identity.md",
];
const MOST_BYTES = 4096; // of a file of git's that holds a path

/**
 * Returns a candidate by the full path of its program: of a name, the first one on the search path
 * that is outside of the folders, the projects around them and the work trees of their repositories; undefined where there
 * is none, or what is named is not outside.
 */
export function locateOutside(
  { command, args }: InterpreterCandidate,
  folders: readonly string[],
  searchPath = process.env.PATH ?? "",
): InterpreterCandidate | undefined {
  const fileName = process.platform === "win32" ? command.replace(/(\.exe)?$/i, ".exe") : command;
  const files = /[\\/]/.test(command)
    ? [command]
    : searchPathOutside(folders, searchPath)
        .split(path.delimiter)
        .map((entry) => path.join(entry, fileName))
        .filter(isExecutable);
  const file = files.find((each) => path.isAbsolute(each) && !leadsInto(each, folders));
  return file === undefined ? undefined : { command: file, args };
}

/**
 * Returns what each process of the extension has in place of the editor's own environment: also what
 * a process starts by name in its turn, such as a shim its shell, comes from no folder that is open.
 */
export function environmentOutside(): { readonly PATH: string } {
  return { PATH: searchPathOutside(openFolders(), process.env.PATH ?? "") };
}

/**
 * Returns the search path without what is relative or leads into the projects of the folders. A
 * home folder is none: programs of its user lie in it.
 */
function searchPathOutside(folders: readonly string[], searchPath: string): string {
  const projects = folders.filter((folder) => !isWithin(homedir(), folder));
  const isOutside = (entry: string) => path.isAbsolute(entry) && !leadsInto(entry, projects);
  const entries = searchPath.replaceAll('"', "").split(path.delimiter);
  return entries.filter(isOutside).join(path.delimiter) || devNull;
}

export function openFolders(): string[] {
  return vscode.workspace.workspaceFolders?.map(({ uri }) => uri.fsPath) ?? [];
}

/** An environment counts as inside where its folder is, wherever its interpreter's link leads. */
function leadsInto(file: string, folders: readonly string[]): boolean {
  const places = [path.resolve(file), realPath(file), realPath(path.dirname(file))];
  const starts = folders.flatMap((folder) => [path.resolve(folder), realPath(folder)]);
  const repositories = new Set(starts.flatMap(repositoriesAround));
  return (
    starts.map(projectAround).some((folder) => places.some((place) => isWithin(place, folder))) ||
    places.flatMap(repositoriesAround).some((repository) => repositories.has(repository))
  );
}

/** Returns the outermost folder around one that has a project. */
function projectAround(folder: string): string {
  const has = (above: string) => PROJECT_SIGNS.some((sign) => existsSync(path.join(above, sign)));
  return foldersAround(folder).filter(has).at(-1) ?? folder;
}

/** Returns git's folders of the repositories around a path, which linked work trees share. */
function repositoriesAround(place: string): string[] {
  return foldersAround(place)
    .map((folder) => path.join(folder, ".git"))
    .filter(existsSync)
    .map((git) => {
      const own = path.resolve(git, "..", readPath(git).replace(/^gitdir:\s*/, "") || git);
      return realPath(path.resolve(own, readPath(path.join(own, "commondir"))));
    });
}

/** Returns the path in a file of git's; "" where there is none, or a pipe, which would never end. */
function readPath(file: string): string {
  try {
    const status = statSync(file);
    return status.isFile() && status.size <= MOST_BYTES ? readFileSync(file, "utf8").trim() : "";
  } catch {
    return "";
  }
}

/** Returns a folder and those above it up to the home folder, which is no project. */
function foldersAround(folder: string): string[] {
  const above = path.dirname(folder);
  return above === folder || isWithin(homedir(), folder) ? [] : [folder, ...foldersAround(above)];
}

/** Case does not count: on the disks of Windows and macOS it makes no other file. */
function isWithin(place: string, folder: string): boolean {
  const way = path.relative(folder.toLowerCase(), place.toLowerCase());
  return !path.isAbsolute(way) && way.split(path.sep)[0] !== "..";
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file);
  }
}

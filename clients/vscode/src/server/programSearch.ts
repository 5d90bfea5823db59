/** This module finds programs on the search path, never inside a folder that is not trusted. */

import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import type { InterpreterCandidate } from "./interpreterSearch";

const PROJECT_SIGNS = [".git", ".synapse", ".carl"];

/**
 * Returns a candidate by the full path of its program: of a name, the first one on the search path
 * that is outside of the folders and the projects around them; undefined where there is none, or what is named is not outside.
 */
export function locateOutside(
  { command, args }: InterpreterCandidate,
  folders: readonly string[],
  searchPath = process.env.PATH ?? "",
): InterpreterCandidate | undefined {
  const fileName = process.platform === "win32" ? command.replace(/(\.exe)?$/i, ".exe") : command;
  const files = /[\\/]/.test(command)
    ? [command]
    : searchPath
        .split(path.delimiter)
        .map((entry) => path.join(entry.replaceAll('"', ""), fileName))
        .filter(isExecutable);
  const file = files.find((each) => path.isAbsolute(each) && !leadsInto(each, folders));
  return file === undefined ? undefined : { command: file, args };
}

/** An environment counts as inside where its folder is, wherever its interpreter's link leads. */
function leadsInto(file: string, folders: readonly string[]): boolean {
  const places = [path.resolve(file), realPath(file), realPath(path.dirname(file))];
  return folders
    .flatMap((folder) => [folder, realPath(folder)].map(projectAround))
    .some((folder) => places.some((place) => isWithin(place, folder)));
}

/** Returns the outermost folder around one that has a project; a home folder is none. */
function projectAround(folder: string): string {
  let project = folder;
  let above = path.dirname(folder);
  while (above !== path.dirname(above) && !isWithin(homedir(), above)) {
    if (PROJECT_SIGNS.some((sign) => existsSync(path.join(above, sign)))) {
      project = above;
    }
    above = path.dirname(above);
  }
  return project;
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

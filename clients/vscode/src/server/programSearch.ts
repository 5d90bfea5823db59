/** This module finds programs on the search path, never inside a folder that is not trusted. */

import { accessSync, constants, realpathSync } from "node:fs";
import * as path from "node:path";
import type { InterpreterCandidate } from "./interpreterSearch";

/**
 * Returns a candidate by the full path of its program: of a name, the first one on the search path
 * that is outside of the folders; undefined where there is none, or what is named is not outside.
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
    .flatMap((folder) => [folder, realPath(folder)])
    .some((folder) => places.some((place) => isWithin(place, folder)));
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

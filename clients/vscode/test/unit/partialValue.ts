/** This module lets a test give only the parts of an answer that it is about. */

/** The parts of a value, at any depth. */
export type Given<T> = T extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]?: Given<T[Name]> }
    : T;

/** Returns a value of which nothing but these parts is looked at. */
export function partly<T>(given: Given<T>): T {
  return given as T;
}

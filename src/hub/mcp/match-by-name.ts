import { nameGlob } from "../../base/index.ts";

/** Looks up a name in a table of names and globs: the name itself first, then the first matching glob. */
export function matchByName<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(table, name)) return table[name];
  return Object.entries(table).find(([glob]) => glob.includes("*") && nameGlob(glob)(name))?.[1];
}

import { nameGlob } from "../../base/index.ts";

/** What a table of names and globs says about a name: the name itself goes first, then the first glob that fits. */
export function byName<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  if (Object.hasOwn(table, name)) return table[name];
  return Object.entries(table).find(([glob]) => glob.includes("*") && nameGlob(glob)(name))?.[1];
}

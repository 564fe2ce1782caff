import { readFileSync } from "node:fs";

/** Returns the version of a package that is installed for the benchmarks. */
export function packageVersion(name: string | undefined): { version?: string } {
  if (name === undefined) return {};
  try {
    const text = readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8");
    return { version: (JSON.parse(text) as { version: string }).version };
  } catch {
    return {};
  }
}

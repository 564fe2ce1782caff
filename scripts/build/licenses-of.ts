import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { OutputChunk } from "rolldown";

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));
const licenseNames = ["LICENSE", "LICENSE.md", "LICENCE"];

/** Returns the licenses of all packages that are part of these files. */
export async function licensesOf(chunks: readonly OutputChunk[]): Promise<string> {
  const ids = chunks.flatMap(({ moduleIds }) => moduleIds);
  const names = ids.flatMap((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []);
  const texts = [...new Set(names)].toSorted().map(async (name) => {
    const text = (await licenseOf(name)).trim();
    return `${name}\n${"=".repeat(name.length)}\n\n${text}\n`;
  });
  return (await Promise.all(texts)).join("\n\n");
}

async function licenseOf(name: string): Promise<string> {
  const dir = join(modules, name);
  try {
    return await Promise.any(licenseNames.map((file) => readFile(join(dir, file), "utf8")));
  } catch {
    // Some packages only name their license in package.json.
    const about = JSON.parse(await readFile(join(dir, "package.json"), "utf8")) as { license?: string };
    if (about.license === undefined)
      throw new Error(`${name} has no license file and names no license in package.json`);
    return `License: ${about.license}`;
  }
}

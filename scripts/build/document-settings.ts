import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const setting =
  /^( +)readonly \w+: \{\n\1 {4}readonly type: "(\w+)";\n(?:\1 {4}.*\n)*?\1 {4}readonly about: ["'](.*)["'];$/gm;

/** Adds the text of each setting to its declaration, so that editors show it for the options that are derived from it. */
export async function documentSettings(dir: string): Promise<void> {
  for (const name of (await readdir(dir, { recursive: true })).filter((file) => file.endsWith(".d.ts"))) {
    const path = join(dir, name);
    const text = await readFile(path, "utf8");
    const documented = text.replace(setting, (declared: string, indent: string, type: string, about: string) => {
      const unit = /^(?:seconds|timeout|days)$/.test(type) ? ", in milliseconds." : ".";
      return `${indent}/** ${about.replaceAll('\\"', '"').replace(/\.$/, unit)} */\n${declared}`;
    });
    if (documented !== text) await writeFile(path, documented);
  }
}

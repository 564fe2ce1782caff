import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { folderWith } from "./support/workspace.ts";

test("[U20] npm ci with the settings of this repository prints no engine warnings", async () => {
  const engines = { node: "<1" };
  const project = { name: "project", version: "1.0.0", engines, dependencies: { old: "file:./old" } };
  const old = { name: "old", version: "1.0.0", engines };
  const dir = await folderWith({
    "package.json": JSON.stringify(project),
    "old/package.json": JSON.stringify(old),
    "package-lock.json": JSON.stringify({
      name: "project",
      version: "1.0.0",
      lockfileVersion: 3,
      packages: { "": project, "node_modules/old": { resolved: "old", link: true }, old },
    }),
  });
  expect(await install(dir)).toContain("EBADENGINE");
  await copyFile(join(import.meta.dirname, "..", ".npmrc"), join(dir, ".npmrc"));
  expect(await install(dir)).toBe("");
});

/** Installs without the settings that npm passes to its scripts, and returns the warnings. */
async function install(cwd: string): Promise<string> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const words = ["ci", "--offline", "--no-audit", "--no-update-notifier", "--ignore-scripts", "--userconfig=/dev/null"];
  return (await promisify(execFile)("npm", words, { cwd, env })).stderr;
}

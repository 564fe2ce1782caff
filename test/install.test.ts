import { execFile } from "node:child_process";
import { copyFile, readFile } from "node:fs/promises";
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

test("npm has no scripts of the package to run, or to warn about, when it is installed", async () => {
  const { scripts } = JSON.parse(await readFile(join(import.meta.dirname, "../package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const ofInstall = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];
  expect(ofInstall.filter((name) => Object.hasOwn(scripts, name))).toEqual([]);
  // These build `dist`: after `npm ci` in a clone, and before packing.
  expect(scripts).toMatchObject({ prepublish: "node scripts/build.ts", prepack: "node scripts/build.ts" });
});

/** Installs without the settings that npm passes to its scripts, and returns the warnings. */
async function install(cwd: string): Promise<string> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const words = ["ci", "--offline", "--no-audit", "--no-update-notifier", "--ignore-scripts", "--userconfig=/dev/null"];
  return (await promisify(execFile)("npm", words, { cwd, env })).stderr;
}

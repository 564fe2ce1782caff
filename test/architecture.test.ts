import { readFile } from "node:fs/promises";
import { globSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import layers from "../layers.json" with { type: "json" };

const src = resolve(import.meta.dirname, "../src");
const order = layers.map(({ folder }) => folder);
const files = globSync("**/*.ts", { cwd: src }).filter((file) => !file.includes(".test"));

/** Every relative import of a file, types and lazy ones included. */
async function importsOf(file: string): Promise<string[]> {
  const text = await readFile(resolve(src, file), "utf8");
  // Examples in comments are not imports.
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
  const found = code.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]*)"/g);
  return [...found].map(([, specifier]) => relative(src, resolve(src, dirname(file), specifier ?? "")));
}

test("every folder of src is in layers.json, and every layer exists", () => {
  const folders = new Set(files.flatMap((file) => (file.includes("/") ? [file.split("/")[0]] : [])));
  expect(folders).toEqual(new Set(order));
});

test("imports point up the list of layers, through the index of the other folder", async () => {
  const wrong: string[] = [];
  let seen = 0;
  for (const file of files) {
    const [from] = file.split("/");
    for (const target of await importsOf(file)) {
      seen++;
      const [to] = target.split("/");
      if (from === to || !file.includes("/")) continue;
      const upwards = order.indexOf(to ?? "") < order.indexOf(from ?? "");
      if (!upwards) wrong.push(`${file} imports ${target}, which is not above it`);
      else if (target !== `${to}/index.ts`) wrong.push(`${file} imports ${target}, not ${to}/index.ts`);
    }
  }
  expect(wrong).toEqual([]);
  expect(seen).toBeGreaterThan(200);
});

test("rooms of a folder do not import each other in a cycle, including types and files on top of the folder", async () => {
  const imports = new Map<string, Set<string>>();
  for (const file of files) {
    // The index of a folder only re-exports.
    if (/^[^/]+\/index\.ts$/.test(file)) continue;
    for (const target of await importsOf(file)) {
      const [from, to] = [roomOf(file), roomOf(target)];
      if (from === undefined || to === undefined || from === to) continue;
      imports.set(from, (imports.get(from) ?? new Set()).add(to));
    }
  }
  const reaches = (from: string, goal: string, seen = new Set<string>()): boolean =>
    [...(imports.get(from) ?? [])].some((next) => {
      if (next === goal) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, goal, seen);
    });
  expect([...imports.keys()].filter((room) => reaches(room, room))).toEqual([]);
  expect(imports.size).toBeGreaterThan(10);
});

/** The room of a file, such as `agent/loop`; files on top of a folder are a room, too. Undefined for public entries. */
function roomOf(file: string): string | undefined {
  const [folder, room, ...rest] = file.split("/");
  if (room === undefined) return undefined;
  return rest.length > 0 ? `${folder}/${room}` : `${folder}/`;
}

test("no file has a catch-all name: utils, helpers, types, common, misc", () => {
  expect(files.filter((file) => /(^|\/)(utils?|helpers?|types|common|misc)\.ts$/.test(file))).toEqual([]);
});

test("at most 30 files of up to 40 lines have a single importer", async () => {
  const importers = new Map<string, Set<string>>();
  for (const file of files) {
    for (const target of await importsOf(file)) importers.set(target, (importers.get(target) ?? new Set()).add(file));
  }
  const small: string[] = [];
  for (const file of files.filter((each) => !/(?:^|\/)index\.ts$/.test(each))) {
    const [importer, ...others] = importers.get(file) ?? [];
    const lines = (await readFile(resolve(src, file), "utf8")).trimEnd().split("\n");
    if (importer !== undefined && others.length === 0 && lines.length <= 40)
      small.push(`src/${file}, only imported by src/${importer}`);
  }
  const advice = "move a small helper into the file that uses it";
  expect(small.length, `${advice}:\n${small.join("\n")}`).toBeLessThanOrEqual(30);
  expect(small.length).toBeGreaterThan(0);
});

test("no file tests for a class of another file with instanceof: two copies of the package have two classes", async () => {
  const texts = new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(resolve(src, file), "utf8")] as const)),
  );
  const classes = new Map<string, string>();
  for (const [file, text] of texts) {
    for (const [, name = ""] of text.matchAll(/^export (?:abstract )?class (\w+)/gm)) classes.set(name, file);
  }
  const found: string[] = [];
  for (const [file, text] of texts) {
    const code = text.replaceAll(/^\s*(?:\*|\/\/).*$/gm, "");
    for (const [, name = ""] of code.matchAll(/ instanceof (\w+)/g)) {
      if (classes.has(name) && classes.get(name) !== file)
        found.push(`src/${file}: export a function from ${classes.get(name)} that recognizes a ${name}`);
    }
  }
  expect(classes.size).toBeGreaterThan(20);
  expect(found).toEqual([]);
});

test("api and client load in a browser: they import nothing of Node, not even transitively", async () => {
  const reached = new Set<string>(["api/index.ts", "client/index.ts"]);
  const ofNode: string[] = [];
  for (const file of reached) {
    const text = await readFile(resolve(src, file), "utf8");
    const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
    if (/from "node:|\b(?:process|Buffer)\.|\brequire\(/.test(code)) ofNode.push(file);
    // Types are erased.
    for (const [, what = "", specifier = ""] of code.matchAll(/(?:import|export)\s([^"]*?)from "(\.[^"]*)"/g)) {
      const isType = what.startsWith("type ") || /^\{(?:\s*type \w+,?)+\s*\}/.test(what);
      if (!isType) reached.add(relative(src, resolve(src, dirname(file), specifier)));
    }
  }
  expect(ofNode).toEqual([]);
  expect(reached.size).toBeGreaterThan(8);
});

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

test("rooms inside of a folder do not import each other in a circle", async () => {
  const imports = new Map<string, Set<string>>();
  for (const file of files) {
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

/** The room that a file is in, such as `agent/loop`; undefined for those that stand in the folder itself. */
function roomOf(file: string): string | undefined {
  const [folder, room, ...rest] = file.split("/");
  return rest.length > 0 ? `${folder}/${room}` : undefined;
}

test("no file is a drawer: utils, helpers, types, common, misc", () => {
  expect(files.filter((file) => /(^|\/)(utils?|helpers?|types|common|misc)\.ts$/.test(file))).toEqual([]);
});

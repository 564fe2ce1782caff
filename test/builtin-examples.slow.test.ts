import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { builtinTools, createVault } from "../src/builtin/index.ts";
import { closeExtraction } from "../src/builtin/extract/index.ts";
import { sandboxStatus } from "../src/builtin/sandbox/index.ts";
import { createWeather, getWeatherTool } from "../src/builtin/weather/index.ts";
import { type Engine, createEngine, engineDefaults } from "../src/engine/index.ts";
import { createFileAccess } from "../src/file/index.ts";
import { scriptedModel } from "../src/testing/index.ts";
import { createHttpClient } from "../src/net/index.ts";
import { createInMemoryRecords, createInMemoryTextIndex } from "../src/store/index.ts";
import type { AnyTool, Effect } from "../src/tool/index.ts";
import { type SiteHandler, allNamesLeadTo, loopbackOnly, loopbackSite } from "./support/loopback-site.ts";
import { openMeteo } from "./support/open-meteo.ts";
import { folderWith } from "./support/workspace.ts";
import { requestTool, writingAnswers } from "./support/writing-answers.ts";

const sandbox = await sandboxStatus();

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await closeExtraction();
});

/** Files and notes that the examples refer to. */
const files = {
  "notes.md": "# Notes\n\nThis is a draft. TODO: finish it.\n",
  "ideas.md": "---\ntags: [ideas]\n---\n# Ideas\n\nMachine learning notes, 机器学习笔记.\n",
  "src/main.ts": "export function main(): void {}\n",
  "corpus/tides.md": "# Tide tables\n\nTide tables tell when the water is high.\n",
  "corpus/tower.md": "# Eiffel Tower\n\nGustave Eiffel's company built the Eiffel Tower.\n",
};

const page = `<!doctype html><html lang="en"><head><title>Tides</title></head><body><article><h1>Tides</h1>
<p>The tide comes twice a day, fifty minutes later every day. <a href="/about">More about it</a>.</p></article></body></html>`;

const exampleSite: SiteHandler = (request, response) => {
  if (request.url === "/robots.txt") response.writeHead(404).end();
  else response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
};

interface World {
  readonly engine: Engine;
  readonly dir: string;
}

/** All built-in tools in an isolated world: a folder, sites on loopback, a model with plausible responses. */
async function openWorld(): Promise<World> {
  const dir = await folderWith(files);
  const site = await loopbackSite(exampleSite);
  const station = await loopbackSite(openMeteo);
  const http = createHttpClient(allNamesLeadTo(site, ["example.com"]));
  const stationHttp = createHttpClient({ ...loopbackOnly, allow: [`127.0.0.1:${station.port}`] });
  const records = createInMemoryRecords({});
  const vault = createVault({ folder: dir, index: createInMemoryTextIndex() });
  const tools = builtinTools({
    http,
    records: () => records,
    files: createFileAccess({ roots: [{ path: dir, write: true }] }),
    vault,
    searchFile: { corpus: join(dir, "corpus") },
    model: scriptedModel(({ prompt: [first] }) => {
      const answer = writingAnswers[requestTool(first?.role === "system" ? first.content : "")];
      return typeof answer === "string" ? answer : JSON.stringify(answer);
    }),
  });
  const weather = createWeather({ http: stationHttp, forecastUrl: station.origin, geocodingUrl: station.origin });
  const engine = createEngine({
    tools: tools.map((tool) => (tool.name === "get_weather" ? getWeatherTool({ weather }) : tool)),
    records,
    strictValidation: true,
    limits: { maxRetries: 0 },
  });
  closing.push(
    site.close,
    station.close,
    () => http.close(),
    () => stationHttp.close(),
    () => engine.close(),
    () => vault.close(),
  );
  await engine.call("memory_store", { content: "Rope floats." }, { conversationId: "conversation-1" });
  return { engine, dir };
}

async function call({ engine }: World, name: string, args: unknown): Promise<unknown> {
  const result = await engine.call(name, args);
  if (!result.success) throw new Error(`${result.error.code} ${result.error.reason}: ${result.error.message}`);
  return result.output;
}

/** Contents of a folder, by path. */
function contentsOf(dir: string): Record<string, string> {
  const found = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, "utf8")]));
}

const all: AnyTool[] = builtinTools({ http: createHttpClient(loopbackOnly) });
const named = all.map((tool) => ({ name: tool.name, tool }));

const examplesOf = ({ input }: AnyTool): unknown[] => (input.json["examples"] ?? []) as unknown[];

function effectOf({ effect }: AnyTool, args: unknown): Effect {
  return typeof effect === "function" ? effect(args) : effect;
}

/** As the engine does, with the defaults filled in. */
async function secondsOf({ input, timeoutMs = engineDefaults.timeoutMs }: AnyTool, args: unknown): Promise<number> {
  const checked = await input.validate(args);
  if (checked.issues !== undefined) throw new Error(checked.issues[0]?.message);
  return (typeof timeoutMs === "function" ? timeoutMs(checked.value) : timeoutMs) / 1000;
}

describe.each(named)("$name", ({ name, tool }) => {
  const examples = examplesOf(tool);

  test.skipIf(name === "test_runner" && !sandbox.available)("returns what its examples declare", async () => {
    expect(examples.length).toBeGreaterThan(0);
    const world = await openWorld();
    for (const example of examples) {
      const output = await call(world, name, example);
      expect(await tool.output?.validate(output)).toEqual({ value: output });
      expect(undescribed(tool, output)).toEqual([]);
      const isPure = effectOf(tool, example) === "pure";
      expect(isPure ? await call(world, name, example) : output).toEqual(output);
    }
  });

  test.skipIf(name === "test_runner" && !sandbox.available)("has the effect that it declares", async () => {
    const { engine, dir } = await openWorld();
    for (const example of examples) {
      const before = contentsOf(dir);
      await engine.call(name, example);
      const after = contentsOf(dir);
      const effect = effectOf(tool, example);
      const writes = effect === "idempotent" || effect === "once";
      expect(writes ? before : after).toEqual(before);
      if (effect !== "once") await engine.call(name, example);
      expect(contentsOf(dir)).toEqual(after);
    }
  });

  test("describes itself to models", () => {
    expect(tool.description).toMatch(/^\S.{40,}\.$/s);
    expect(tool.description.length).toBeLessThan(1500);
    expect(tool.displayName).not.toBe(name);
    expect(tool.capabilities).toContainEqual(expect.stringMatching(/\p{Script=Han}/u));
    expect(tool.capabilities).toContainEqual(expect.stringMatching(/^[a-z_]+$/));
    expect(tool.output).toBeDefined();
    const { properties, additionalProperties } = tool.input.json;
    const mute = Object.entries((properties ?? {}) as Record<string, { description?: string }>)
      .filter(([, { description = "" }]) => !/\S{3}/.test(description))
      .map(([key]) => key);
    expect(mute).toEqual([]);
    // Echo returns its arguments, with any keys.
    expect(additionalProperties).toBe(name === "echo" ? undefined : false);
  });

  test("ends by itself within ten minutes", async () => {
    for (const example of examples) {
      const seconds = await secondsOf(tool, example);
      expect(seconds).toBeGreaterThanOrEqual(5);
      expect(seconds).toBeLessThanOrEqual(600);
    }
  });
});

/** Keys of an output that the output schema does not name. */
function undescribed({ output: schema }: AnyTool, output: unknown): string[] {
  const properties = schema?.json["properties"];
  if (typeof properties !== "object" || properties === null) return [];
  return Object.keys(output as object).filter((key) => !Object.hasOwn(properties, key));
}

test("no two tools have a name in common", () => {
  const names = all.flatMap((tool) => [tool.name, ...tool.aliases]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each(["getWeather", "webSearch", "pomodoroTool", "indexTool"])(
  "the alias %s calls the same tool",
  async (alias) => {
    const { engine } = await openWorld();
    const tool = all.find(({ aliases }) => aliases.includes(alias)) as AnyTool;
    expect(await engine.call(alias, examplesOf(tool)[0])).toMatchObject({ success: true, tool: tool.name });
  },
);

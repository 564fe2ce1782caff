import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test } from "vitest";
import { folderWith } from "../../../test/support/workspace.ts";
import { openTextIndex } from "../../adapters/index.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import { createVault, getFileTreeTool, indexVaultTool, localSearchTool, readNoteTool } from "./index.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Opened {
  readonly engine: Engine;
  readonly tools: readonly AnyTool[];
  readonly folder: string;
}

/** The tools as a workspace has them: real files, a real database, the engine before them. */
async function open(files: Readonly<Record<string, string>>): Promise<Opened> {
  const folder = await folderWith(files);
  const index = openTextIndex({ file: join(await folderWith({}), "index.db") });
  const vault = createVault({ folder, index });
  const services = { vault };
  const tools = [
    indexVaultTool(services),
    localSearchTool(services),
    getFileTreeTool(services),
    readNoteTool(services),
  ];
  const engine = createEngine({ tools });
  closing.push(async () => {
    await engine.close();
    await vault.close();
    await index.close();
  });
  return { engine, tools, folder };
}

const notes = {
  "ml.md": "# Machine learning\n\nGradient descent and other algorithms. #ai",
  "zh/机器学习.md": "# 机器学习笔记\n\n梯度下降是一种优化算法。",
  "cooking.md": "# Soup\n\nLeek and potato.",
  "ideas.md": "# Ideas\n\nA boat.",
};

test("[E09] indexVault reports what it did, under each of its names", async () => {
  const { engine } = await open(notes);
  expect(await engine.call("indexVault", {})).toMatchObject({
    success: true,
    output: { status: "complete", added: 4, updated: 0, removed: 0, unchanged: 0, skipped: [] },
  });
  for (const name of ["indexTool", "index_vault"]) {
    expect(await engine.call(name, {})).toMatchObject({ success: true, output: { unchanged: 4 } });
  }
});

test("[E09] localSearch finds notes by query and salient terms, in both languages", async () => {
  const { engine } = await open(notes);
  const query = "machine learning notes";
  const found = await engine.call("localSearch", { query, salientTerms: ["machine", "learning", "AI", "algorithms"] });
  expect(found).toMatchObject({ success: true, output: { documents: [{ path: "ml.md", score: 1 }], indexed: 4 } });
  const expanded = await engine.call("local_search", { query, salientTerms: ["机器学习"] });
  expect(expanded).toMatchObject({
    output: {
      documents: expect.arrayContaining([
        expect.objectContaining({ path: "ml.md" }),
        expect.objectContaining({ path: "zh/机器学习.md" }),
      ]),
    },
  });
  expect(await engine.call("localSearch", { query: "梯度下降" })).toMatchObject({
    output: { documents: [{ path: "zh/机器学习.md", cite: "zh/机器学习.md:1" }] },
  });
});

test("[E09] localSearch keeps to a time range, however its ends are written", async () => {
  const { engine, folder } = await open(notes);
  const at = Date.UTC(2025, 0, 10) / 1000;
  utimesSync(join(folder, "ml.md"), at, at);
  const ranges = [
    { startTime: Date.UTC(2025, 0, 10), endTime: Date.UTC(2025, 0, 11) },
    { startTime: String(Date.UTC(2025, 0, 10)), endTime: "2025-01-11T00:00:00Z" },
    { startTime: "2025-01-10", endTime: Date.UTC(2025, 0, 10) + 1 },
  ];
  for (const timeRange of ranges) {
    const { output } = (await engine.call("localSearch", { query: "learning ideas soup 机器", timeRange })) as {
      output: { documents: { path: string }[] };
    };
    expect(output.documents.map(({ path }) => path)).toEqual(["ml.md"]);
  }
  const outside = { startTime: 0, endTime: Date.UTC(2025, 0, 10) };
  expect(await engine.call("localSearch", { query: "learning", timeRange: outside })).toMatchObject({
    output: { documents: [] },
  });
  for (const timeRange of [
    { startTime: "soon", endTime: 5 },
    { startTime: 5, endTime: 4 },
    { startTime: 1e300, endTime: 2e300 },
  ]) {
    expect(await engine.call("localSearch", { query: "x", timeRange })).toMatchObject({
      success: false,
      error: { code: "validation_error", reason: "bad_range" },
    });
  }
});

test("[E09] localSearch without words lists the notes of a time, or with a tag, the newest first", async () => {
  const { engine, folder } = await open(notes);
  for (const [index, path] of ["ml.md", "ideas.md", "cooking.md"].entries()) {
    const at = Date.UTC(2025, 0, 10 + index) / 1000;
    utimesSync(join(folder, path), at, at);
  }
  const list = async (query: object): Promise<unknown> => {
    const { output } = (await engine.call("localSearch", query)) as { output: { documents: { path: string }[] } };
    return output.documents.map(({ path }) => path);
  };
  expect(await list({})).toEqual(["zh/机器学习.md", "cooking.md", "ideas.md", "ml.md"]);
  expect(await list({ timeRange: { startTime: "2025-01-10", endTime: "2025-01-12" } })).toEqual(["ideas.md", "ml.md"]);
  expect(await list({ tags: ["ai"], limit: 1 })).toEqual(["ml.md"]);
  expect(await engine.call("localSearch", { limit: 1 })).toMatchObject({ output: { documents: [{ score: 1 }] } });
});

test("[E09] getFileTree shows the vault; read_note reads what localSearch cites", async () => {
  const { engine } = await open(notes);
  expect(await engine.call("get_file_tree", { depth: 1 })).toMatchObject({
    success: true,
    output: { path: ".", files: 3, folders: 1, truncated: false },
  });
  expect(await engine.call("read_note", { note: "zh/机器学习.md#机器学习笔记" })).toMatchObject({
    success: true,
    output: { text: expect.stringContaining("梯度下降"), truncated: false },
  });
  expect(await engine.call("read_note", { note: "../x" })).toMatchObject({ error: { reason: "traversal" } });
});

test("every example of these tools runs", async () => {
  const { engine, tools } = await open(notes);
  for (const { name, input } of tools) {
    const examples = input.json["examples"] as object[];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(await engine.call(name, example)).toMatchObject({ success: true });
  }
});

interface Row {
  readonly area: string;
  readonly input: unknown;
}

describe("hostile input", () => {
  const rows = JSON.parse(readFileSync("test/data/bad-inputs.json", "utf8")) as Row[];

  test("every fts-query row is a search like any other", async () => {
    const { engine } = await open({ "a.md": "数据 OR title a b" });
    const queries = rows.filter(({ area }) => area === "fts-query").map(({ input }) => String(input));
    expect(queries.length).toBeGreaterThan(10);
    for (const query of queries) {
      const { success } = await engine.call("localSearch", { query, salientTerms: [query] });
      expect([query, success]).toEqual([query, true]);
    }
  });

  test("no path row leads out of the vault", async () => {
    const { engine } = await open({ "sub/a.md": "x" });
    const paths = rows.filter(({ area, input }) => area === "path" && typeof input === "string");
    expect(paths.length).toBeGreaterThan(10);
    for (const { input } of paths) {
      const read = await engine.call("read_note", { note: input });
      // A name that is a little off finds the note that it means; nothing else is found.
      const found = read.success ? (read.output as { path: string }).path : "sub/a.md";
      expect([input, found]).toEqual([input, "sub/a.md"]);
    }
    for (const { input } of paths.filter((row) => row.input !== "sub" && row.input !== "")) {
      const { success } = await engine.call("getFileTree", { path: input });
      expect([input, success]).toEqual([input, false]);
    }
  });

  test("a tree of very many files stops at the requested maximum", async () => {
    const { engine, folder } = await open({});
    for (let folderNumber = 0; folderNumber < 4; folderNumber++) {
      mkdirSync(join(folder, `f${folderNumber}`));
      for (let file = 0; file < 1500; file++) writeFileSync(join(folder, `f${folderNumber}`, `${file}.md`), "");
    }
    const result = await engine.call("getFileTree", {});
    expect(result).toMatchObject({ success: true, output: { truncated: true } });
    const { files, folders } = result.success
      ? (result.output as { files: number; folders: number })
      : { files: 0, folders: 0 };
    expect(files + folders).toBe(1000);
  });
});

describe("a damaged index is rebuilt from the notes", () => {
  const files = {
    "tides.md": "# Tides\n\nAt the half moons the range is small.",
    "sub/rope.md": "# Rope\n\nWet hemp.",
  };

  async function withIndex(): Promise<{ file: string; openEngine: () => Promise<Engine> }> {
    const folder = await folderWith(files);
    const file = join(await folderWith({}), "index.db");
    const openEngine = (): Promise<Engine> => {
      const index = openTextIndex({ file });
      const vault = createVault({ folder, index });
      const engine = createEngine({ tools: [localSearchTool({ vault }), readNoteTool({ vault })] });
      closing.push(async () => {
        await engine.close();
        await vault.close();
        await index.close();
      });
      return Promise.resolve(engine);
    };
    return { file, openEngine };
  }

  test.each([
    ["before it is opened", randomBytes(4096)],
    ["in its head", Buffer.from("SQLite format 3\0".padEnd(8192, "x"))],
  ])("%s", async (_, bytes) => {
    const { file, openEngine } = await withIndex();
    writeFileSync(file, bytes);
    const engine = await openEngine();
    expect(await engine.call("localSearch", { query: "half moon" })).toMatchObject({
      output: { documents: [{ path: "tides.md" }], indexed: 2 },
    });
    writeFileSync(file, bytes);
    expect(await (await openEngine()).call("read_note", { note: "[[rope]]" })).toMatchObject({
      output: { path: "sub/rope.md" },
    });
  });

  test("an index that breaks after it was opened is rebuilt while it is used", async () => {
    const { file, openEngine } = await withIndex();
    await (await openEngine()).call("localSearch", { query: "hemp" });
    for (const close of closing.splice(0)) await close();
    const db = new DatabaseSync(file);
    const { at } = db.prepare("SELECT rootpage AS at FROM sqlite_schema WHERE name = 'text_documents'").get() ?? {};
    db.close();
    writeFileSync(file, readFileSync(file).fill(0x5a, (Number(at) - 1) * 4096, Number(at) * 4096));
    expect(await (await openEngine()).call("localSearch", { query: "hemp" })).toMatchObject({
      output: { documents: [{ path: "sub/rope.md" }], indexed: 2 },
    });
  });
});

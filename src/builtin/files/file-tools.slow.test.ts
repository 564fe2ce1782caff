import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { busiestTurn } from "../../../test/support/busiest-turn.ts";
import { createEngine } from "../../engine/index.ts";
import { createFileAccess } from "../../file/index.ts";
import { type AnyTool, type ToolResult, ToolRegistry } from "../../tool/index.ts";
import { editFileTool, listDirTool, readFileTool, searchFilesTool, writeFileTool } from "./index.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Bench {
  readonly root: string;
  readonly tools: readonly AnyTool[];
  readonly call: (name: string, args: unknown) => Promise<ToolResult>;
  readonly output: <T = Record<string, unknown>>(name: string, args: unknown) => Promise<T>;
  readonly reason: (name: string, args: unknown) => Promise<string | undefined>;
  readonly text: (path: string) => string;
}

/** Creates the five tools in an engine, on a folder with these files. */
function bench(input: Record<string, string | Buffer> = {}): Bench {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "windlass-file-tools-")));
  closing.push(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(input)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const files = createFileAccess({ roots: [{ path: root, write: true }] });
  const tools: AnyTool[] = [readFileTool, writeFileTool, editFileTool, listDirTool, searchFilesTool].map((make) =>
    make({ files }),
  );
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool, { owner: "builtin" });
  const engine = createEngine({ registry });
  closing.push(() => engine.close());
  const call = (name: string, args: unknown): Promise<ToolResult> => engine.call(name, args);
  return {
    root,
    tools,
    call,
    output: async <T>(name: string, args: unknown) => {
      const result = await call(name, args);
      if (!result.success) throw new Error(`${result.error.reason}: ${result.error.message}`);
      return result.output as T;
    },
    reason: async (name, args) => {
      const result = await call(name, args);
      return result.success ? undefined : (result.error.reason ?? result.error.code);
    },
    text: (path) => readFileSync(join(root, path), "utf8"),
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

test("the examples in the schemas are valid calls", async () => {
  const files = { "notes.md": "a draft\nof notes\n", "src/main.ts": "export function main() {}\n// TODO\n" };
  for (const tool of bench().tools) {
    const examples = tool.input.json["examples"] as unknown[];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(await bench(files).output(tool.name, example)).toBeTypeOf("object");
    const properties = Object.values(tool.input.json["properties"] as Record<string, { description?: string }>);
    expect(properties.every(({ description = "" }) => description !== "")).toBe(true);
  }
});

test("the effect of each tool on files is declared", () => {
  const declared = bench().tools.map(({ name, effect, destructive, category }) => {
    const of = (args: unknown): unknown => (typeof effect === "function" ? effect(args) : effect);
    return [name, of({}), of({ expected_sha256: "x" }), destructive, category];
  });
  expect(declared).toEqual([
    ["read_file", "read", "read", false, "file"],
    ["write_file", "idempotent", "idempotent", true, "file"],
    ["edit_file", "once", "idempotent", true, "file"],
    ["list_dir", "read", "read", false, "file"],
    ["search_files", "read", "read", false, "file"],
  ]);
});

describe("read_file", () => {
  const ten = Array.from({ length: 10 }, (_, at) => `line ${at + 1}`).join("\n");

  test("returns the whole text with its hash", async () => {
    const { output } = bench({ "a.md": "一\n二\n" });
    expect(await output("read_file", { path: "a.md" })).toEqual({
      path: "a.md",
      content: "一\n二\n",
      encoding: "utf-8",
      size: 8,
      truncated: false,
      sha256: sha256("一\n二\n"),
      start_line: 1,
      end_line: 2,
      total_lines: 2,
    });
  });

  test.each([
    [{ start_line: 9 }, "line 9\nline 10", [9, 10]],
    [{ start_line: 2, end_line: 3, line_numbers: true }, "2\tline 2\n3\tline 3", [2, 3]],
    [{ start_line: -2 }, "line 9\nline 10", [9, 10]],
    [{ start_line: -100, end_line: -9 }, "line 1\nline 2", [1, 2]],
    [{ end_line: 1 }, "line 1", [1, 1]],
    [{ start_line: 10, end_line: 99 }, "line 10", [10, 10]],
  ])("returns the lines %j", async (range, content, [start, end]) => {
    const { output } = bench({ "a.md": ten });
    const got = await output("read_file", { path: "a.md", ...range });
    expect(got).toMatchObject({ content, start_line: start, end_line: end, total_lines: 10, truncated: false });
  });

  test("returns the bytes of a range, and the next offset", async () => {
    const { output } = bench({ "a.md": "中文字" });
    const part = await output("read_file", { path: "a.md", offset: 0, length: 7 });
    expect(part).toMatchObject({ content: "中文", truncated: true, next_offset: 7, size: 9 });
    expect(part).not.toHaveProperty("sha256");
    expect(await output("read_file", { path: "a.md", offset: 2 })).toMatchObject({ content: "文字", truncated: false });
  });

  test("cuts long content after a line, and returns the next line", async () => {
    const { output } = bench({ "a.log": `${"x".repeat(99)}\n`.repeat(5000), "one.txt": "y".repeat(300_000) });
    const cut = await output<{ content: string }>("read_file", { path: "a.log" });
    expect(cut).toMatchObject({ truncated: true, start_line: 1, end_line: 2000, next_line: 2001, total_lines: 5000 });
    expect(cut.content.length).toBe(199_999);
    expect(await output("read_file", { path: "a.log", start_line: 2001, end_line: 2002 })).toMatchObject({
      truncated: false,
    });
    expect(await output("read_file", { path: "one.txt" })).toMatchObject({ truncated: true, end_line: 1 });
  });

  test("detects the encoding, or uses the one that is named", async () => {
    const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);
    const { output } = bench({
      "le.txt": Buffer.from("\ufeff你", "utf16le"),
      "gbk.txt": gbk,
      "raw.bin": Buffer.from([0, 1]),
    });
    expect(await output("read_file", { path: "le.txt" })).toMatchObject({ content: "你", encoding: "utf-16le" });
    expect(await output("read_file", { path: "gbk.txt", encoding: "gbk" })).toMatchObject({ content: "你好" });
    const lossy = await output<{ note: string }>("read_file", { path: "gbk.txt" });
    expect(lossy.note).toContain("name the encoding");
    expect(await output("read_file", { path: "raw.bin", encoding: "base64" })).toMatchObject({ content: "AAE=" });
  });

  test.each([
    [{ path: "none.md" }, "not_found"],
    [{ path: "../a.md" }, "traversal"],
    [{ path: "/etc/passwd" }, "absolute"],
    [{ path: "sub" }, "not_a_file"],
    [{ path: "raw.bin" }, "binary"],
    [{ path: "a.md", start_line: 11 }, "bad_range"],
    [{ path: "a.md", start_line: 0 }, "bad_range"],
    [{ path: "a.md", start_line: 5, end_line: 2 }, "bad_range"],
    [{ path: "a.md", start_line: 1, offset: 1 }, "bad_range"],
    [{ path: "a.md", encoding: "klingon" }, "bad_encoding"],
    [{ path: "" }, "validation_error"],
    [{ path: "a.md", file: "x" }, "validation_error"],
  ])("fails on %j (%s)", async (args, reason) => {
    const made = bench({ "a.md": ten, "sub/x": "", "raw.bin": Buffer.from([0, 1]) });
    expect(await made.reason("read_file", args)).toBe(reason);
  });

  test("returns an empty file as empty", async () => {
    expect(await bench({ "e.md": "" }).output("read_file", { path: "e.md" })).toMatchObject({
      content: "",
      total_lines: 0,
      truncated: false,
    });
  });
});

describe("write_file", () => {
  test("writes, and twice is once", async () => {
    const { output, text } = bench();
    const args = { path: "x/y.md", content: "你好\n", create_parents: true };
    const written = { path: "x/y.md", bytes: 7, sha256: sha256("你好\n") };
    expect(await output("write_file", args)).toEqual({ ...written, created: true, changed: true });
    expect(await output("write_file", args)).toEqual({ ...written, created: false, changed: false });
    expect(text("x/y.md")).toBe("你好\n");
  });

  test("writes bytes in base64", async () => {
    const { output, root } = bench();
    await output("write_file", { path: "b.bin", content: "AAH/\n", encoding: "base64" });
    expect(readFileSync(join(root, "b.bin"))).toEqual(Buffer.from([0, 1, 255]));
  });

  test.each([
    [{ path: "a.md", content: "x", overwrite: false }, "exists"],
    [{ path: "a.md", content: "x", expected_sha256: "0".repeat(64) }, "changed"],
    [{ path: "n/a.md", content: "x" }, "not_found"],
    [{ path: ".git/hooks/pre-commit", content: "x", create_parents: true }, "path_denied"],
    [{ path: "../x", content: "x" }, "traversal"],
    [{ path: "b", content: "=A==", encoding: "base64" }, "bad_content"],
    [{ path: "b", content: "AAH", encoding: "base64" }, "bad_content"],

    [{ path: "b" }, "validation_error"],
  ])("refuses %j", async (args, reason) => {
    const made = bench({ "a.md": "old" });
    expect(await made.reason("write_file", args)).toBe(reason);
    expect(made.text("a.md")).toBe("old");
  });
});

test("content that is too large is not written", async () => {
  const { reason, text } = bench({ "many.md": "a".repeat(1_000_000) });
  expect(await reason("write_file", { path: "b", content: "x".repeat(9_000_000) })).toBe("too_large");
  const edits = [{ old_text: "a", new_text: "b".repeat(1_000_000), all: true }];
  expect(await reason("edit_file", { path: "many.md", edits })).toBe("too_large");
  expect(text("many.md")).toBe("a".repeat(1_000_000));
});

describe("edit_file", () => {
  test("replaces exact text and shows a diff", async () => {
    const { output, text } = bench({ "a.md": "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n" });
    const got = await output<{ diff: string }>("edit_file", {
      path: "a.md",
      edits: [
        { old_text: "two", new_text: "2\n2b" },
        { old_text: "nine\n", new_text: "" },
      ],
    });
    expect(got).toMatchObject({ replacements: 2, changed: true, truncated: false, sha256: sha256(text("a.md")) });
    expect(text("a.md")).toBe("one\n2\n2b\nthree\nfour\nfive\nsix\nseven\neight\n");
    expect(got.diff).toBe("@@ -1 +1 @@\n one\n-two\n+2\n+2b\n three\n four\n@@ -7 +8 @@\n seven\n eight\n-nine\n ");
  });

  test("later edits see the result of earlier ones, and all of them fail with one", async () => {
    const { output, reason, text } = bench({ "a.md": "a b" });
    const second = { old_text: "x", new_text: "y" };
    expect(await reason("edit_file", { path: "a.md", edits: [second, { old_text: "a", new_text: "x" }] })).toBe(
      "no_match",
    );
    expect(text("a.md")).toBe("a b");
    await output("edit_file", { path: "a.md", edits: [{ old_text: "a", new_text: "x" }, second] });
    expect(text("a.md")).toBe("y b");
  });

  test("a text that occurs more than once needs `all`", async () => {
    const { call, output, text } = bench({ "a.md": "x\ny x\nx" });
    const edit = { old_text: "x", new_text: "z" };
    const result = await call("edit_file", { path: "a.md", edits: [edit] });
    expect(result).toMatchObject({ success: false, error: { reason: "many_matches" } });
    expect(JSON.stringify(result)).toContain("3 times (lines 1, 2, 3)");
    expect(await output("edit_file", { path: "a.md", edits: [{ ...edit, all: true }] })).toMatchObject({
      replacements: 3,
    });
    expect(text("a.md")).toBe("z\ny z\nz");
  });

  test("reports a line where only white space differs", async () => {
    const { call } = bench({ "a.ts": "if (a) {\n\tb();\n}\n" });
    const result = await call("edit_file", {
      path: "a.ts",
      edits: [{ old_text: "if (a) {\n  b();\n}", new_text: "" }],
    });
    expect(JSON.stringify(result)).toContain("line 1 differs only in its white space");
  });

  test("with the hash of the previous file, a second run detects that the edits were made", async () => {
    const { output, reason, text } = bench({ "a.md": "a" });
    const args = { path: "a.md", edits: [{ old_text: "a", new_text: "a, b" }], expected_sha256: sha256("a") };
    expect(await output("edit_file", args)).toMatchObject({ changed: true, replacements: 1 });
    expect(await output("edit_file", args)).toMatchObject({ changed: false, replacements: 0, diff: "" });
    expect(text("a.md")).toBe("a, b");
    expect(await reason("edit_file", { ...args, expected_sha256: "1".repeat(64) })).toBe("changed");
  });

  test("keeps line ends, byte order marks and encodings", async () => {
    const utf16 = Buffer.from("\ufeffone\r\ntwo\r\n", "utf16le");
    const { output, root, text } = bench({
      "crlf.md": "one\r\ntwo\r\n",
      "bom.md": "\ufeffone\ntwo",
      "wide.txt": utf16,
    });
    const edits = [{ old_text: "one\ntwo", new_text: "1\n2" }];
    for (const path of ["crlf.md", "bom.md", "wide.txt"]) await output("edit_file", { path, edits });
    expect(text("crlf.md")).toBe("1\r\n2\r\n");
    expect(text("bom.md")).toBe("\ufeff1\n2");
    expect(readFileSync(join(root, "wide.txt"))).toEqual(Buffer.from("\ufeff1\r\n2\r\n", "utf16le"));
  });

  test.each([
    [{ path: "latin.txt", edits: [{ old_text: "c", new_text: "d" }] }, "bad_encoding"],
    [{ path: "none.md", edits: [{ old_text: "c", new_text: "d" }] }, "not_found"],
    [{ path: "a.md", edits: [{ old_text: "a", new_text: "a" }] }, "no_change"],
    [{ path: "a.md", edits: [{ old_text: "", new_text: "a" }] }, "validation_error"],
    [{ path: "a.md", edits: [] }, "validation_error"],
  ])("refuses %j", async (args, reason) => {
    const made = bench({ "a.md": "a", "latin.txt": Buffer.from([0x63, 0xe9]) });
    expect(await made.reason("edit_file", args)).toBe(reason);
  });
});

describe("list_dir", () => {
  const files = { ".hidden": "", ".gitignore": "dist\n", "a.md": "abc", "dist/x.js": "", "src/b/c.ts": "" };

  test("lists one level, without hidden and ignored entries", async () => {
    const { output, root } = bench(files);
    symlinkSync("/etc", join(root, "way-out"));
    const { entries, ...rest } = await output<{ entries: Record<string, unknown>[] }>("list_dir", {});
    expect(rest).toEqual({ path: ".", truncated: false });
    expect(entries.map(({ name, type }) => `${String(name)} ${String(type)}`)).toEqual([
      "a.md file",
      "src folder",
      "way-out link",
    ]);
    expect(entries[0]).toMatchObject({ path: "a.md", size: 3, modified: expect.stringMatching(/^\d{4}-.*Z$/) });
  });

  test("lists more levels, hidden and ignored entries on request", async () => {
    const { output } = bench(files);
    const all = await output<{ entries: { path: string }[] }>("list_dir", { depth: 3, hidden: true, gitignore: false });
    expect(all.entries.map(({ path }) => path)).toEqual([
      ".gitignore",
      ".hidden",
      "a.md",
      "dist",
      "dist/x.js",
      "src",
      "src/b",
      "src/b/c.ts",
    ]);
    expect(await output("list_dir", { max_entries: 1 })).toMatchObject({
      truncated: true,
      entries: [{ name: "a.md" }],
    });
  });

  test.each([
    [{ path: "a.md" }, "not_a_folder"],
    [{ path: "none" }, "not_found"],
    [{ path: "../" }, "traversal"],
    [{ depth: 0 }, "validation_error"],
  ])("fails on %j (%s)", async (args, reason) => {
    expect(await bench(files).reason("list_dir", args)).toBe(reason);
  });
});

describe("search_files", () => {
  const files = {
    ".gitignore": "ignored\n",
    "a.ts": "const x = 1;\n// TODO: mend\nfunction go() {}\r\n",
    "docs/TODO.md": "nothing\n待办: TODO 中文\n",
    "ignored/b.ts": "TODO",
    ".hidden/c.ts": "TODO",
    "bin.dat": Buffer.from([0x54, 0x4f, 0x44, 0x4f, 0]),
  };
  interface Found {
    matches: { path: string; line?: number; column?: number; excerpt?: string }[];
    truncated: boolean;
    files_searched: number;
    binary_files: number;
  }
  const positions = ({ matches }: Found): string[] =>
    matches.map(({ path, line, column }) => [path, line, column].filter((part) => part !== undefined).join(":"));

  test.each([
    [{ query: "TODO" }, ["a.ts:2:4", "docs/TODO.md:2:5"]],
    [{ query: "todo", ignore_case: true, target: "both" }, ["a.ts:2:4", "docs/TODO.md", "docs/TODO.md:2:5"]],
    [{ query: "todo", ignore_case: true, target: "names" }, ["docs/TODO.md"]],
    [{ query: "^(const|function) ", regex: true }, ["a.ts:1:1", "a.ts:3:1"]],
    [{ query: "\\{\\}$", regex: true }, ["a.ts:3:15"]],
    [{ query: "TODO", include: "*.md" }, ["docs/TODO.md:2:5"]],
    [{ query: "TODO", include: ["*.md", "!TODO.md"] }, []],
    [{ query: "TODO", path: "docs" }, ["docs/TODO.md:2:5"]],
    [{ query: "TODO", hidden: true, include: ".hidden/" }, [".hidden/c.ts:1:1"]],
    [{ query: "TODO", gitignore: false, include: "ignored" }, ["ignored/b.ts:1:1"]],
    [{ query: "中文" }, ["docs/TODO.md:2:10"]],
    [{ query: ".*+?(" }, []],
    [{ query: "(?=", ignore_case: true }, []],
  ])("%j finds %j", async (args, expected) => {
    expect(positions(await bench(files).output<Found>("search_files", args))).toEqual(expected);
  });

  test("returns the line, what it searched, and what it skipped", async () => {
    const found = await bench(files).output<Found>("search_files", { query: "TODO" });
    expect(found.matches[0]).toEqual({ path: "a.ts", line: 2, column: 4, excerpt: "// TODO: mend" });
    expect(found).toMatchObject({ truncated: false, files_searched: 2, binary_files: 1 });
  });

  test("stops at its limit, and cuts long lines around the match", async () => {
    const { output } = bench({
      "a.txt": "x\n".repeat(100),
      "long.txt": `${"-".repeat(5000)}needle${"-".repeat(20_000)}`,
    });
    expect(await output<Found>("search_files", { query: "x", max_results: 5 })).toMatchObject({ truncated: true });
    expect((await output<Found>("search_files", { query: "x", max_results: 5 })).matches).toHaveLength(5);
    const [match] = (await output<Found>("search_files", { query: "needle" })).matches;
    expect(match).toMatchObject({ column: 5001 });
    expect(match?.excerpt).toMatch(/^….*needle.*…$/);
    expect(match?.excerpt?.length).toBeLessThan(210);
    expect(
      (await bench({ "a.txt": "x\n".repeat(5) }).output<Found>("search_files", { query: "x", max_results: 5 }))
        .truncated,
    ).toBe(false);
  });

  test.each(["(?=a)", "(a)\\1", "(", "[z-a]"])("refuses the pattern %j", async (query) => {
    expect(await bench(files).reason("search_files", { query, regex: true })).toBe("bad_pattern");
  });

  test("files of any size are searched to their end", async () => {
    const lines = 300_000;
    const text = Array.from({ length: lines }, (_, at) => `line ${at + 1}`).join("\r\n");
    const { output } = bench({
      "large.log": `${text}\r\nneedle 中文\n`,
      "wide.txt": Buffer.from(`\ufeff${text}\nneedle`, "utf16le"),
    });
    const found = await output<Found>("search_files", { query: "needle" });
    expect(found).toEqual({
      matches: [
        { path: "large.log", line: lines + 1, column: 1, excerpt: "needle 中文" },
        { path: "wide.txt", line: lines + 1, column: 1, excerpt: "needle" },
      ],
      files_searched: 2,
      binary_files: 0,
      truncated: false,
    });
    expect(positions(await output<Found>("search_files", { query: "^line 299999$", regex: true }))).toEqual([
      "large.log:299999:1",
      "wide.txt:299999:1",
    ]);
  });

  test("characters and lines that span two parts are read as one", async () => {
    for (const before of [65_533, 65_534, 65_535, 65_536, 65_537]) {
      const { output } = bench({ "a.txt": `${"-".repeat(before - 2)}\n中文 needle\nend` });
      const found = await output<Found>("search_files", { query: "中文 needle" });
      expect(found.matches).toEqual([{ path: "a.txt", line: 2, column: 1, excerpt: "中文 needle" }]);
    }
  });

  test("files that were not searched completely are named, with the reason", async () => {
    const { output, root } = bench({
      "minified.js": `${"x".repeat(5000)}near${"x".repeat(200_000)}far\nnext\n`,
    });
    const handle = openSync(join(root, "huge.log"), "w");
    // Mostly a sparse region, which takes no space on the disk.
    writeSync(handle, "near\n".repeat(2000), 0);
    writeSync(handle, "far\n", 70 * 1_048_576);
    closeSync(handle);
    const near = await output<Found>("search_files", { query: "near", include: "*.js" });
    expect(near.matches).toContainEqual(expect.objectContaining({ path: "minified.js", line: 1, column: 5001 }));
    const far = await output<Found>("search_files", { query: "next", include: "*.js" });
    expect(positions(far)).toEqual(["minified.js:2:1"]);
    const missed = await output("search_files", { query: "far" });
    expect(missed).toMatchObject({
      matches: [],
      truncated: true,
      skipped_count: 2,
      skipped: [
        { path: "huge.log", why: expect.stringContaining("only its first 67108864 bytes") },
        { path: "minified.js", why: expect.stringContaining("line 1 is longer than 32768 characters") },
      ],
    });
  });

  test.skipIf(process.getuid?.() === 0)("unreadable files are named too", async () => {
    const { output, root } = bench({ "a.txt": "x", "locked.txt": "x", "folder/b.txt": "x" });
    chmodSync(join(root, "locked.txt"), 0);
    chmodSync(join(root, "folder"), 0);
    closing.push(() => chmodSync(join(root, "folder"), 0o755));
    expect(await output("search_files", { query: "x" })).toMatchObject({
      matches: [{ path: "a.txt" }],
      skipped: [{ path: "locked.txt" }, { path: "folder", why: "the folder cannot be read" }],
      truncated: true,
    });
  });

  test("a hostile pattern over large files does not block the event loop", async () => {
    const { output } = bench({ "a.txt": `${"a".repeat(5000)}\n`.repeat(400), "one.txt": "a".repeat(2_000_000) });
    const search = (query: string) => async () => {
      expect((await output<Found>("search_files", { query, regex: true })).matches).toEqual([]);
    };
    for (const query of ["(a+)+$x", "(a|b)+(a|c)+x"]) expect(await busiestTurn(search(query))).toBeLessThan(50);
  });
});

describe("deceptive names", () => {
  const name = "photo\u202egpj.\u001b[2Jtxt";
  const shown = "photo<U+202E>gpj.<U+001B>[2Jtxt";
  const files = { [`in/${name}`]: "needle one\n", "in/plain.txt": "needle" };

  test("are shown escaped, and can be used as they are shown", async () => {
    const { call, output, text } = bench(files);
    const path = `in/${shown}`;
    const listed = await output<{ entries: object[] }>("list_dir", { path: "in" });
    expect(listed.entries[0]).toMatchObject({ name: shown, path });
    for (const target of ["names", "contents"]) {
      const query = target === "names" ? "gpj" : "needle one";
      expect(await output("search_files", { query, target })).toMatchObject({ matches: [{ path }] });
    }
    expect(await output("read_file", { path })).toMatchObject({ path, content: "needle one\n" });
    expect(await output("read_file", { path: `in/${name}` })).toMatchObject({ path });
    expect(await output("edit_file", { path, edits: [{ old_text: "one", new_text: "two" }] })).toMatchObject({ path });
    expect(await output("write_file", { path, content: "three" })).toMatchObject({ path, created: false });
    expect(text(`in/${name}`)).toBe("three");
    const refused = await call("edit_file", { path, edits: [{ old_text: "one", new_text: "two" }] });
    // oxlint-disable-next-line no-control-regex
    expect(JSON.stringify([listed, refused])).not.toMatch(/[\u001b\u202e]|\\u001b/);
  });

  test("names that are invalid on other systems are read", async () => {
    const odd = ["Meeting: x.md", " lead.md", "c:5.md", "back\\slash.md", "a#b.md", "trail.md ", "con.md"];
    const { output, reason } = bench(Object.fromEntries(odd.map((path) => [path, path])));
    for (const path of odd) expect(await output("read_file", { path })).toMatchObject({ path, content: path });
    expect(await reason("write_file", { path: "Meeting: y.md", content: "x" })).toBe("bad_name");
    expect(await reason("read_file", { path: "Meeting: y.md" })).toBe("bad_name");
  });
});

describe("files of the maximum size", () => {
  const size = 8 * 1_048_576 - 64;
  const contents: Record<string, Buffer> = {
    "only-line-ends.txt": Buffer.alloc(size, "\n"),
    "one-line.txt": Buffer.alloc(size, "a"),
    "crlf.txt": Buffer.alloc(size, "x\r\n"),
    "chinese.txt": Buffer.from("中文字\n".repeat(Math.floor(size / 10))),
    "utf-16.txt": Buffer.from(`\ufeff${"中文\n".repeat(Math.floor(size / 6) - 1)}`, "utf16le"),
    "latin.txt": Buffer.alloc(size, Buffer.from([0x61, 0xe9, 10])),
  };

  /** Returns the maximum CPU time of one turn. The better of two runs: compilation happens once. */
  async function busiest(work: () => Promise<unknown>): Promise<number> {
    const first = await busiestTurn(work);
    return first < 50 ? first : Math.min(first, await busiestTurn(work));
  }

  test.each(Object.keys(contents))("reading %s does not block the event loop", async (name) => {
    const { output } = bench({ [name]: contents[name] ?? "" });
    for (const range of [{}, { start_line: -3, line_numbers: true }]) {
      expect(await busiest(() => output("read_file", { path: name, ...range }))).toBeLessThan(50);
    }
  });

  test.each([
    ["only-line-ends.txt", { old_text: "\n", new_text: "\t", all: true }, undefined],
    ["one-line.txt", { old_text: "a", new_text: "b" }, "many_matches"],
    ["one-line.txt", { old_text: "a", new_text: "bb", all: true }, "too_large"],
    ["one-line.txt", { old_text: `${"a".repeat(400_000)}b${"a".repeat(400_000)}`, new_text: "" }, "no_match"],
    ["crlf.txt", { old_text: "x\n", new_text: "y\n", all: true }, undefined],
    ["chinese.txt", { old_text: "字", new_text: "子", all: true }, undefined],
    ["utf-16.txt", { old_text: "文\n", new_text: "子\n", all: true }, undefined],
  ])("editing %s does not block the event loop (%#)", async (name, edit, reason) => {
    const { root, ...made } = bench();
    const turn = await busiest(async () => {
      writeFileSync(join(root, name), contents[name] ?? "");
      // Writing the file is not part of it.
      await new Promise((resolve) => void setImmediate(resolve));
      expect(await made.reason("edit_file", { path: name, edits: [edit] })).toBe(reason);
    });
    expect(turn).toBeLessThan(50);
  });

  test("a cancelled edit stops immediately and changes nothing", async () => {
    const { root, tools } = bench({ "a.txt": contents["one-line.txt"] ?? "" });
    const controller = new AbortController();
    const edit = tools.find(({ name }) => name === "edit_file");
    const edits = [{ old_text: "a", new_text: "b", all: true }];
    const engine = createEngine({ tools: [edit as AnyTool] });
    closing.push(() => engine.close());
    const call = engine.call("edit_file", { path: "a.txt", edits }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 30);
    expect(await call).toMatchObject({ success: false, error: { code: "cancelled" } });
    expect(readFileSync(join(root, "a.txt"), "utf8").startsWith("aaa")).toBe(true);
  });
});

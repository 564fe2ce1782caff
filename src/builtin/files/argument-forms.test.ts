import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { folderWith } from "../../../test/support/workspace.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import { createFileAccess } from "../../file/index.ts";
import { editFileTool, searchFilesTool } from "./index.ts";

const closing: Engine[] = [];
afterEach(async () => {
  for (const engine of closing.splice(0)) await engine.close();
});

async function open(files: Readonly<Record<string, string>>): Promise<{ engine: Engine; dir: string }> {
  const dir = await folderWith(files);
  const services = { files: createFileAccess({ roots: [{ path: dir, write: true }] }) };
  const engine = createEngine({ tools: [editFileTool(services), searchFilesTool(services)] });
  closing.push(engine);
  return { engine, dir };
}

describe("edit_file accepts a single edit without the list", () => {
  test("the edit is made once, or at every occurrence", async () => {
    const { engine, dir } = await open({ "a.md": "one two two" });
    const edit = (args: object) => engine.call("edit_file", { path: "a.md", ...args });
    expect(await edit({ old_text: "one", new_text: "1" })).toMatchObject({ output: { replacements: 1 } });
    expect(await edit({ old_text: "two", new_text: "2" })).toMatchObject({ error: { reason: "many_matches" } });
    expect(await edit({ old_text: "two", new_text: "", all: true })).toMatchObject({ output: { replacements: 2 } });
    expect(readFileSync(join(dir, "a.md"), "utf8")).toBe("1  ");
  });

  test("a second time with the hash of the previous file, it changes nothing", async () => {
    const { engine } = await open({ "a.md": "one" });
    const expected_sha256 = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    const args = { path: "a.md", old_text: "one", new_text: "one, one", expected_sha256 };
    expect(await engine.call("edit_file", args)).toMatchObject({ output: { changed: true } });
    expect(await engine.call("edit_file", args)).toMatchObject({ output: { changed: false } });
  });

  const edits = [{ old_text: "one", new_text: "1" }];
  test.each<[string, object, string]>([
    ["neither form", {}, "edits is required"],
    ["half of it", { old_text: "one" }, "edits is required"],
    ["an empty list", { edits: [] }, "edits must have at least 1 item"],
    ["both forms", { edits, old_text: "one", new_text: "1" }, "more than one of several mutually exclusive forms"],
    ["`all` beside the list, where it would say nothing", { edits, all: true }, "all is not allowed here"],
  ])("it refuses %s", async (_, args, message) => {
    const { engine, dir } = await open({ "a.md": "one" });
    const result = await engine.call("edit_file", { path: "a.md", ...args });
    expect(result).toMatchObject({ success: false, error: { code: "validation_error" } });
    expect(!result.success && result.error.message).toContain(message);
    expect(readFileSync(join(dir, "a.md"), "utf8")).toBe("one");
  });
});

describe("search_files accepts `pattern` for `query`", () => {
  test("the pattern is text, and with regex a pattern", async () => {
    const { engine } = await open({ "a.md": "a.c\nabc" });
    const linesOf = async (args: object): Promise<unknown> => {
      const result = await engine.call("search_files", args);
      return result.success && (result.output as { matches: { line: number }[] }).matches.map(({ line }) => line);
    };
    expect(await linesOf({ pattern: "a.c" })).toEqual([1]);
    expect(await linesOf({ pattern: "a.c", regex: true })).toEqual([1, 2]);
  });

  test.each([
    ["neither", {}, "query is required"],
    ["both", { query: "a", pattern: "b" }, "mutually exclusive"],
  ])("it refuses %s", async (_, args, message) => {
    const { engine } = await open({ "a.md": "a" });
    const result = await engine.call("search_files", args);
    expect(!result.success && result.error.message).toContain(message);
  });
});

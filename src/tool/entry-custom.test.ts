import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../base/index.ts";
import type { CompositeContext, ToolContext } from "./context.ts";
import { parseToolFile } from "./tool-file.ts";

const outside = mkdtempSync(join(tmpdir(), "windlass-custom-"));
const root = join(outside, "workspace");
mkdirSync(join(root, "tools"), { recursive: true });
afterAll(() => rmSync(outside, { recursive: true, force: true }));

const context = { marker: "context" } as unknown as ToolContext & CompositeContext;
const defineToolUrl = pathToFileURL(join(import.meta.dirname, "define-tool.ts")).href;

function parse(entry: string, clock: Clock = systemClock) {
  return parseToolFile(
    `name: t\ndescription: d\nparameters:\n  - { name: a, type: string }\nentry: { type: custom, ${entry} }\n`,
    {
      file: "tools/t.yaml",
      path: join(root, "tools", "t.yaml"),
      root,
      clock,
    },
  );
}

function write(name: string, code: string): void {
  writeFileSync(join(root, "tools", name), code);
}

describe("[B07] a module of the workspace", () => {
  test("a default function in TypeScript is loaded", async () => {
    write(
      "a.ts",
      "export default (args: { a: string }, ctx: { marker: string }): string => `${args.a} ${ctx.marker}`;\n",
    );
    const { tool, problems } = await parse("module: ./a.ts");
    expect(problems).toEqual([]);
    expect(tool).toMatchObject({ effect: "once", destructive: true });
    expect(tool?.run({ a: "x" }, context)).toBe("x context");
  });

  test("a named export is loaded", async () => {
    write("named.mjs", "export const one = () => 1; export const two = () => 2;");
    expect((await parse("module: ./named.mjs, export: two")).tool?.run({}, context)).toBe(2);
    expect((await parse("module: ./named.mjs, export: twoo")).problems).toMatchObject([
      { code: "export_not_found", hint: 'did you mean "two"?' },
    ]);
    expect((await parse("module: ./named.mjs")).problems).toMatchObject([
      { code: "export_not_found", hint: 'set "export" to one of one, two' },
    ]);
    write("unexported.mjs", "function go() {}");
    expect((await parse("module: ./unexported.mjs")).problems).toMatchObject([
      { code: "export_not_found", hint: "write export default before the function that runs the tool" },
    ]);
  });

  test("the handler and the settings of an exported tool are used", async () => {
    write(
      "made.ts",
      `import { defineTool } from ${JSON.stringify(defineToolUrl)};\nexport const made = defineTool({ name: "inner", description: "d", effect: "pure", timeoutMs: 77, run: () => "inner ran" });\n`,
    );
    const { tool, problems } = await parse("module: ./made.ts");
    expect(problems).toEqual([]);
    expect(tool).toMatchObject({ name: "t", effect: "pure", destructive: false, timeoutMs: 77 });
    expect(tool?.run({}, context)).toBe("inner ran");
  });

  test("is reloaded after it changed", async () => {
    write("fresh.mjs", "export default () => 1;");
    expect((await parse("module: ./fresh.mjs")).tool?.run({}, context)).toBe(1);
    write("fresh.mjs", "export default () => 2;");
    expect((await parse("module: ./fresh.mjs")).tool?.run({}, context)).toBe(2);
  });

  test("is imported again after a module that it needs was fixed", async () => {
    write("needs.mjs", 'import { v } from "./needed.mjs"; export default () => v;');
    expect((await parse("module: ./needs.mjs")).problems).toMatchObject([{ code: "module_failed" }]);
    write("needed.mjs", "export const v = 5;");
    expect((await parse("module: ./needs.mjs")).tool?.run({}, context)).toBe(5);
  });
});

describe("an unusable module is an error, and a tool that reports it", () => {
  test.each([
    ["module: ./none.ts", "", "module_not_found"],
    ["module: ./throws.mjs", "throw new Error('\\u001b[31mboom')", "module_failed"],
    ["module: ./syntax.ts", "export default ((", "module_failed"],
    ["module: ./empty.mjs", "export const n = 1;", "export_not_found"],
  ])("%s", async (entry, code, expected) => {
    const name = /\.\/([\w.]+)/.exec(entry)?.[1] ?? "";
    if (code !== "") write(name, code);
    const { tool, problems } = await parse(entry);
    expect(problems).toMatchObject([{ severity: "error", code: expected, line: 5 }]);
    expect(problems[0]?.message).not.toContain("\u001b");
    expect(tool?.broken).toMatchObject({ code: "executor_not_found", reason: expected });
  });

  test("a module that needs a missing package names the install command", async () => {
    write("lacks.mjs", 'import "@some/where"; export default () => 1;');
    expect((await parse("module: ./lacks.mjs")).problems).toMatchObject([
      { code: "module_failed", hint: "npm install @some/where in the workspace" },
    ]);
  });

  test("a module outside the workspace is never opened, by path or by link", async () => {
    writeFileSync(join(outside, "evil.mjs"), "globalThis.evilRan = true; export default () => 1;");
    symlinkSync(join(outside, "evil.mjs"), join(root, "tools", "link.mjs"));
    for (const path of ["../../evil.mjs", "./link.mjs", join(outside, "evil.mjs")]) {
      const { problems } = await parse(`module: ${path}`);
      expect(problems).toMatchObject([{ code: "outside_workspace" }]);
    }
    expect("evilRan" in globalThis).toBe(false);
  });

  test("a module that never finishes loading is abandoned", async () => {
    write("forever.mjs", "await new Promise(() => {}); export default () => 1;");
    const hasty: Clock = { ...systemClock, after: (ms, task) => systemClock.after(ms / 100, task) };
    const { problems } = await parse("module: ./forever.mjs", hasty);
    expect(problems).toMatchObject([
      { code: "module_failed", message: expect.stringContaining("within 10 s") as string },
    ]);
  });
});

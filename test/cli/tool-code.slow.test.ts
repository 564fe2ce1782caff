import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { codeTool, environment, folder, windlass } from "./windlass.ts";

const run = promisify(execFile);
const built = resolve(import.meta.dirname, "../../dist/bin.js");

const shout = `import { defineTool, fromJsonSchema } from "windlass";
import { toOpenAITools } from "windlass/agent";
import { echoTool } from "windlass/tools";

export const shout = defineTool({
  name: "shout",
  description: "For tests.",
  effect: "pure",
  input: fromJsonSchema<{ text: string }>({ type: "object", properties: { text: { type: "string" } } }),
  run: ({ text }) => [text.toUpperCase(), toOpenAITools([echoTool])[0]?.function.name],
});
`;

describe.concurrent("a code tool that imports windlass without an installed package", () => {
  test("gets the running copy, from source and as built", async () => {
    const cwd = await folder({ "tools/shout.ts": shout });
    const fromSource = await windlass(["call", "shout", "text=hi"], { cwd });
    expect(fromSource).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(fromSource.stdout)).toEqual(["HI", "echo"]);
    const { stdout } = await run(process.execPath, [built, "call", "shout", "text=hi"], { cwd, env: environment });
    expect(JSON.parse(stdout)).toEqual(["HI", "echo"]);
  });

  test("can import every entry point of it", async () => {
    const parts = Object.keys(packageJson.exports).filter((part) => part !== "./package.json");
    const imports = parts.map((part, at) => `import * as m${at} from "windlass${part.slice(1)}";`).join("\n");
    const counted = parts.map((_, at) => `Object.keys(m${at}).length > 0`).join(", ");
    const cwd = await folder(codeTool("parts", `${imports}\nexport default () => [${counted}];`));
    const { stdout, stderr } = await windlass(["call", "parts"], { cwd });
    expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual(parts.map(() => true));
  });

  test("works as the module of a YAML tool, too", async () => {
    const body = 'import { fail } from "windlass";\nexport default () => fail("on purpose", { reason: "meant" });';
    const cwd = await folder(codeTool("failing", body));
    const { stderr } = await windlass(["call", "failing"], { cwd });
    expect(stderr).toContain("error: on purpose [execution_error: meant]");
  });

  test("uses the copy of its own folder", async () => {
    const cwd = await folder(codeTool("which", 'import { name } from "windlass";\nexport default () => name;'));
    await mkdir(join(cwd, "node_modules/windlass"), { recursive: true });
    await writeFile(join(cwd, "node_modules/windlass/package.json"), '{ "type": "module", "exports": "./own.js" }');
    await writeFile(join(cwd, "node_modules/windlass/own.js"), 'export const name = "its own";');
    expect((await windlass(["call", "which"], { cwd })).stdout).toBe('"its own"\n');
  });

  test("reports any other missing package", async () => {
    const cwd = await folder({ "tools/lost.ts": 'import "windlas";\n' });
    const { code, stderr } = await windlass(["validate"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("Cannot find package 'windlas'");
  });
});

describe.concurrent("output of a tool to stdout", () => {
  const body = `console.log("while loading");
export default () => {
  console.log("while %s", "running");
  console.info("informed");
  process.stdout.write("directly\\n");
  return "the result";
};`;

  test("goes to stderr, and stdout has nothing but the result", async () => {
    const cwd = await folder(codeTool("chatty", body));
    const { code, stdout, stderr } = await windlass(["call", "chatty", "--json"], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, output: "the result" });
    for (const text of ["while loading", "while running", "informed", "directly"]) expect(stderr).toContain(text);
  });

  test("does not get into lists either", async () => {
    const cwd = await folder(codeTool("chatty", body));
    const { stdout } = await windlass(["tools", "--json"], { cwd });
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: "chatty" }));
  });
});

describe.concurrent("a tool that ends the process", () => {
  const early = { "tools/early.ts": "process.exit(0);\n" };

  test.each([
    [["call", "echo", "message=hi"], early],
    [["validate"], early],
    [["tools"], early],
    [["call", "leaver"], codeTool("leaver", "export default () => process.exit(0);")],
    [["call", "leaver"], codeTool("leaver", "export default () => process.exit(7);")],
  ])("%j fails with a message", async (words, files) => {
    const { code, stdout, stderr } = await windlass(words, { cwd: await folder(files) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/error: a tool ended the process with process\.exit\([07]\)/);
  });

  test("prints a failure as JSON", async () => {
    const { code, stdout } = await windlass(["call", "echo", "message=hi", "--json"], { cwd: await folder(early) });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      success: false,
      error: { code: "execution_error", message: expect.stringContaining("a tool ended the process") },
    });
  });
});

test("a module that does not finish loading is named after two seconds", async () => {
  const cwd = await folder({ "tools/endless.ts": "setInterval(() => {}, 1000);\nawait new Promise(() => {});\n" });
  let sawAt = 0;
  const startedAt = performance.now();
  const { code, stdout } = await windlass(["call", "echo", "message=hi"], {
    cwd,
    onStderr: (text) => {
      if (sawAt === 0 && text.includes("tools/endless.ts is still loading")) sawAt = performance.now() - startedAt;
    },
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '{\n  "message": "hi"\n}\n' });
  expect(sawAt).toBeGreaterThan(1_900);
  expect(sawAt).toBeLessThan(9_000);
});

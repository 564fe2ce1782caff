import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { folderWith } from "./support/workspace.ts";

test("the recipe for a new tool works as written", async () => {
  const recipe = readFileSync("CONTRIBUTING.md", "utf8").split("## Add a tool")[1] ?? "";
  const file = /`(src\/builtin\/[\w-]+-tool\.ts)`/.exec(recipe)?.[1] ?? "";
  const code = /```ts\n(.*?)```/s.exec(recipe)?.[1]?.replaceAll(/^ {3}/gm, "") ?? "";
  const root = await folderWith({ [file]: code });
  for (const name of [
    "src",
    "scripts",
    "docs",
    "layers.json",
    "ARCHITECTURE.md",
    "package.json",
    "tsconfig.json",
    "tsconfig.build.json",
  ])
    cpSync(name, join(root, name), { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  symlinkSync(resolve("node_modules"), join(root, "node_modules"));
  const run = (...args: string[]): string => execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  const onlyTool = {
    extends: "./tsconfig.build.json",
    compilerOptions: { noEmit: true, emitDeclarationOnly: false },
    include: [file],
  };
  writeFileSync(join(root, "tsconfig.tool.json"), JSON.stringify({ ...onlyTool, exclude: [] }));
  run(resolve("node_modules/typescript/bin/tsc"), "-p", "tsconfig.tool.json");
  expect(run("scripts/generate-docs.ts")).toMatch(/builtin-registry\.ts\n(?:.*\n)*.*tools\.md/);
  expect(readFileSync(join(root, "docs/reference/tools.md"), "utf8")).toContain("### repeat_text");
  writeFileSync(
    join(root, "call.ts"),
    `import { createEngine } from "./src/index.ts";
import { builtinTools, createHttpClient } from "./src/tools.ts";
const engine = createEngine({ tools: builtinTools({ http: createHttpClient() }) });
const result = await engine.call("repeat_text", { text: "ho" });
console.log(JSON.stringify(result.success && result.output));
process.exit();
`,
  );
  expect(JSON.parse(run("call.ts"))).toEqual({ text: "hoho" });
});

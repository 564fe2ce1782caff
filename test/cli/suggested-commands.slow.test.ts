import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { commandGroups } from "../../src/cli/commands/command-table.ts";
import { environment, folder, windlass } from "./windlass.ts";

/** Variables that npm sets for the script `windlass` of our package, and for `npx windlass`. */
const inClone = { npm_package_name: "windlass", npm_lifecycle_event: "windlass" };
const withNpx = { npm_lifecycle_event: "npx" };

const starts: [start: string, env: Record<string, string>, prefix: string][] = [
  ["npm run in a clone", inClone, "npm run -s windlass --"],
  ["npx", withNpx, "npx windlass"],
  ["its own name", {}, "windlass"],
];

const chain = "name: hello\nsteps:\n  - { id: one, tool: nothing_like_it }\n";
const waiting = "name: wait\nsteps:\n  - { id: one, tool: get_time, approval: Continue? }\n";

describe.each(starts)("[U16] started by %s, suggested commands are written in this form", (_start, env, prefix) => {
  test.concurrent.each([
    [["call", "nothing_like_it"], "list tools with: PREFIX tools"],
    [["run", "nothing_like_it"], "PREFIX chains lists the names"],
    [["run", "calculator"], "PREFIX call calculator calls it"],
    [["validate"], "`PREFIX tools` lists the available tools"],
    [["run", "wait"], "PREFIX approve"],
    [["toolz"], 'run "PREFIX --help" for a list of commands'],
    [["ask", "hello"], "PREFIX ask --runner vault"],
    [["calculator"], "PREFIX call calculator"],
    [["mcp", "add", "x"], "PREFIX mcp add NAME -- COMMAND ARGS"],
    [["help"], 'Run "PREFIX help COMMAND" for details.'],
    [["help", "call"], "Usage: PREFIX call TOOL"],
  ])("%j suggests %j", async (words, expected) => {
    const cwd = await folder({ "windlass.yaml": "", "chains/hello.yaml": chain, "chains/wait.yaml": waiting });
    const { stdout, stderr } = await windlass(words, { cwd, env: { INIT_CWD: cwd, ...env } });
    const text = `${stdout}${stderr}`.replaceAll(/\s+/g, " ");
    expect(text).toContain(expected.replace("PREFIX", prefix));
    const others = text.replaceAll(prefix, "PREFIX").match(/(?<!PREFIX |-)\bwindlass (?:tools|run|call|show|help)\b/g);
    expect(others).toBe(null);
  });
});

test("[U16] a program in node_modules/.bin is started by npx", async () => {
  const cwd = await folder({ "windlass.yaml": "" });
  await mkdir(join(cwd, "node_modules/.bin"), { recursive: true });
  const program = join(cwd, "node_modules/.bin/windlass");
  await symlink(resolve(import.meta.dirname, "../../dist/bin.js"), program);
  const failed = await promisify(execFile)(process.execPath, [program, "call", "nothing_like_it"], {
    cwd,
    env: { ...environment },
  }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ stderr: expect.stringContaining("list tools with: npx windlass tools") as string });
});

/** Files that name commands in documentation: help, schemas, sample files, tables of failures. */
const documents =
  /specs\/|-schema\.ts|-settings\.ts|-table\.ts|sample-files|completion\/run|build-program|command-spec|failure\.ts|-reasons\.ts|format-help|shared-options|suggest-form|command-prefix/;

test("[U16] no message names a command of the program except through the one function for it", () => {
  const names = commandGroups.flatMap(({ commands }) => commands.map(({ name }) => name)).join("|");
  const command = new RegExp(`[\`"' (:：]windlass (?:${names}|--\\w+)\\b`);
  const found = globSync("src/**/*.ts")
    .filter((file) => !file.endsWith(".test.ts") && !documents.test(file))
    .flatMap((file) => {
      const text = readFileSync(file, "utf8").replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, "");
      return text.split("\n").flatMap((line) => (command.test(line) ? [`${file}: ${line.trim()}`] : []));
    });
  expect(found).toEqual([]);
});

test("[U16] the READMEs say how to install the program for all folders, and how long the tests take", () => {
  for (const [file, minutes] of [
    ["README.md", "minutes"],
    ["README.zh-CN.md", "分钟"],
  ] as const) {
    const text = readFileSync(file, "utf8");
    expect(text).toContain("npm install -g windlass");
    expect(text).toMatch(new RegExp(`^npm test .*\\d+ (?:more )?${minutes}`, "m"));
    expect(text).toMatch(new RegExp(`^npm run test:full .*\\d+ (?:more )?${minutes}`, "m"));
  }
});

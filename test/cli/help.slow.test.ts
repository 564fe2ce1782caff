import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { commandGroups } from "../../src/cli/commands/command-table.ts";
import { folder, windlass } from "./windlass.ts";

const commands = commandGroups.flatMap((group) => group.commands).filter(({ hidden }) => hidden !== true);

describe.concurrent("windlass help", () => {
  test("without words, with --help and with help, prints the same text on stdout", async () => {
    const cwd = await folder();
    const runs = await Promise.all([windlass([], { cwd }), windlass(["--help"], { cwd }), windlass(["help"], { cwd })]);
    for (const run of runs) expect(run).toMatchObject({ code: 0, stderr: "", stdout: runs[0]?.stdout });
    const text = runs[0]?.stdout ?? "";
    for (const { title } of commandGroups) expect(text).toContain(`\n${title}:\n`);
    for (const { name, summary } of commands) expect(text).toContain(name.padEnd(10) + `  ${summary}`.slice(0, 40));
    expect(text).toContain("Exit codes: 0 success");
    expect(text).not.toContain("__complete");
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("every command explains itself, with an example", async () => {
    const cwd = await folder();
    const paths = commands.flatMap(({ name, commands = [] }) => [
      [name],
      ...commands.map((child) => [name, child.name]),
    ]);
    const runs = await Promise.all(paths.map((path) => windlass([...path, "--help"], { cwd })));
    for (const [index, { code, stdout, stderr }] of runs.entries()) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`Usage: windlass ${paths[index]?.join(" ")} `);
      expect(stdout).toContain("-C, --dir DIR");
    }
    const { stdout } = await windlass(["help", "tools", "show"], { cwd });
    expect(stdout).toContain("Usage: windlass tools show NAME [options]");
  });

  test("--version prints only the version", async () => {
    const run = await windlass(["--version"], { cwd: await folder() });
    expect(run).toMatchObject({ code: 0, stdout: `${packageJson.version}\n`, stderr: "" });
  });

  test.each([
    [["recrods"], "Did you mean records?"],
    [["help", "recrods"], "Did you mean records?"],
    [["recrods", "--help"], "Did you mean records?"],
    [["calculator", "1+1"], "calculator is a tool: windlass call calculator"],
    [["--jsn"], "unknown option '--jsn'"],
    [["stats", "--jsn"], "Did you mean --json?"],
    [["stats", "extra"], "too many arguments"],
    [["call"], "missing required argument 'TOOL'"],
    [["records", "--tool"], "argument missing"],
  ])("%j is a usage error", async (words, reported) => {
    const { code, stdout, stderr } = await windlass(words, { cwd: await folder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(reported);
    expect(stderr).toContain("--help");
  });

  test("without a terminal there are no colors; they can be forced, unless NO_COLOR is set", async () => {
    const cwd = await folder({ "tools/bad.yaml": "name: bad\n" });
    const run = (words: string[], env: Record<string, string>) => windlass(words, { cwd, env });
    const [plain, validate, coloured, none] = await Promise.all([
      run(["tools"], {}),
      run(["validate"], {}),
      run(["tools"], { FORCE_COLOR: "1" }),
      run(["tools"], { NO_COLOR: "1", TERM: "xterm-256color" }),
    ]);
    // oxlint-disable-next-line no-control-regex
    const escape = /\u001b/;
    for (const { stdout, stderr } of [plain, validate, none]) expect(stdout + stderr).not.toMatch(escape);
    expect(coloured.stdout).toMatch(escape);
  });

  test("help loads nothing but commander, the specs of the commands and the settings that have a flag", async () => {
    const cwd = await folder();
    const preload = join(cwd, "loaded.cjs");
    await writeFile(
      preload,
      `const fs = require("node:fs");
      const { readFileSync } = fs;
      const loaded = [];
      fs.readFileSync = (path, ...how) => (loaded.push(String(path)), readFileSync(path, ...how));
      process.on("exit", () => {
        const files = loaded.filter((path) => path.endsWith(".cjs"));
        process.stderr.write(JSON.stringify(files.map((path) => [path, fs.statSync(path).size])));
      });`,
    );
    const { stderr } = await windlass(["--help"], { cwd, nodeArgs: ["--require", preload] });
    const files = (JSON.parse(stderr) as [string, number][]).map(([path, size]) => ({ name: basename(path), size }));
    const shared = /^(?:cli|rolldown-runtime|program-help|command-table|library-help)\b/;
    expect(files.filter(({ name }) => !shared.test(name))).toEqual([]);
    expect(files.map(({ name }) => name.split(/[-.]/)[0])).toContain("command");
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(100_000);
  });
});

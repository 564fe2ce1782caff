import { describe, expect, test } from "vitest";
import { tracingTools, mailChain } from "./chain-workspace.ts";
import { type Run, folder, windlass } from "./windlass.ts";

const sumChain = `name: sum
description: Adds up prices.
input:
  items: { type: array, items: { type: string }, description: What to add up. }
  options: { type: object, required: false }
  factor: number=2
steps:
  - { id: first, tool: read, params: { text: "\${input.items[0]}" } }
  - { id: second, tool: fails, depends_on: [first] }
output: { first: "\${steps.first.output}" }
`;
const files = { ...tracingTools, "chains/mail.yaml": mailChain, "chains/sum.yaml": sumChain };

async function world(): Promise<(...words: string[]) => Promise<Run>> {
  const cwd = await folder(files);
  return (...words) => windlass(words, { cwd });
}

describe.concurrent("[U15] runs, records and chains by name", () => {
  test("last stands for the newest run wherever a run is named", async () => {
    const run = await world();
    expect(await run("show", "last")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no runs yet") as string,
    });
    await run("run", "sum", 'items=["a"]', "--run-id", "older");
    await run("run", "mail", "to=ada", "--run-id", "newer");
    expect(JSON.parse((await run("show", "last", "--json")).stdout)).toMatchObject({ chain_id: "newer" });
    expect((await run("explain", "last", "prepare")).stdout).toContain("prepare called read and succeeded");
    expect((await run("resume", "last")).code).toBe(3);
    const approved = await run("approve", "last");
    expect(approved).toMatchObject({ code: 0 });
    expect(JSON.parse(approved.stdout)).toEqual({ sent: true });
  });

  test("last also works with options and commands that start or end a run", async () => {
    const run = await world();
    await run("run", "mail", "to=ada");
    expect((await run("test", "mail", "--replay", "last")).stderr).not.toContain('there is no run "last"');
    expect((await run("rerun", "last")).code).toBe(3);
    expect((await run("cancel", "last")).code).toBe(0);
    expect(JSON.parse((await run("show", "last", "--json")).stdout)).toMatchObject({ status: "cancelled" });
  });

  test("a run with the id last is meant by its id", async () => {
    const run = await world();
    await run("run", "sum", 'items=["a"]', "--run-id", "last");
    await run("run", "sum", 'items=["b"]', "--run-id", "newest");
    expect(JSON.parse((await run("show", "last", "--json")).stdout)).toMatchObject({ chain_id: "last" });
  });

  test("explain without a step explains the run", async () => {
    const run = await world();
    await run("run", "sum", 'items=["a"]', "--run-id", "one");
    const { stdout, code } = await run("explain", "one");
    expect(code).toBe(0);
    expect(stdout).toContain("The run of sum is over: it failed");
    expect(stdout).toContain("first called read and succeeded");
    expect(stdout).toContain("out of order");
    const json = JSON.parse((await run("explain", "one", "--json")).stdout) as object;
    expect(json).toMatchObject({ run_id: "one", sentences: expect.arrayContaining([expect.any(String)]) as unknown });
    const { sentences, facts } = json as { sentences: string[]; facts: { step?: string; code: string }[] };
    expect(facts).toHaveLength(sentences.length);
    expect(facts[0]).toMatchObject({ code: "run_status", params: { status: expect.any(String) } });
    expect(facts.slice(1).map(({ step }) => step)).not.toContain(undefined);
    expect(json).not.toHaveProperty("step");
  });

  test("runs --status interrupted lists the runs whose process died", async () => {
    const cwd = await folder({
      ...files,
      "chains/slow.yaml": "name: slow\nsteps:\n  - { id: wait, tool: read, params: { ms: 60000 } }\n",
    });
    const onStderr = (text: string, kill: (signal: NodeJS.Signals) => void): void => {
      if (text.includes("wait: started")) kill("SIGKILL");
    };
    await windlass(["run", "slow", "--run-id", "killed"], { cwd, onStderr });
    await windlass(["run", "sum", 'items=["a"]'], { cwd });
    const { stdout, code } = await windlass(["runs", "--status", "interrupted"], { cwd });
    expect({ code, lines: stdout.trim().split("\n").length }).toEqual({ code: 0, lines: 2 });
    expect(stdout).toMatch(/killed +interrupted/);
    const json = await windlass(["runs", "--status", "interrupted", "--json"], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject([{ run_id: "killed", status: "running", interrupted: true }]);
  });

  test("records with an id shows one call", async () => {
    const run = await world();
    await run("call", "calculator", "expression=6*7");
    await run("call", "echo", "message=hi");
    const { stdout } = await run("records");
    const [, , line = ""] = stdout.split("\n");
    const [id = ""] = line.split(/\s+/);
    const shown = await run("records", id);
    expect(shown.stdout).toMatch(/tool +calculator/);
    expect(shown.stdout).toContain('"expression": "6*7"');
    expect(JSON.parse((await run("records", id, "--json")).stdout)).toMatchObject({ id, output: { result: 42 } });
    expect((await run("records", "last")).stdout).toMatch(/tool +echo/);
    expect(await run("records", "nope")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no record "nope"') as string,
    });
  });

  test("chains show describes one chain", async () => {
    const run = await world();
    const { stdout } = await run("chains", "show", "sum");
    expect(stdout).toContain("Adds up prices.");
    expect(stdout).toMatch(/items +list of string +required +What to add up\./);
    expect(stdout).toMatch(/factor +number +default: 2/);
    expect(stdout).toMatch(/second +fails +after first/);
    expect(stdout).toContain("windlass run sum");
    const wire = JSON.parse((await run("chains", "show", "sum", "--json")).stdout) as object;
    expect(wire).toMatchObject({ name: "sum", calls: [{ id: "first", tool: "read" }, { id: "second" }] });
    expect(await run("chains", "show", "summ")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("did you mean sum?") as string,
    });
    expect((await run("chains", "shwo", "sum")).stderr).toContain("did you mean windlass chains show?");
  });
});

describe.concurrent("[U17] arguments on the command line", () => {
  test("a list or an object shows how it is written", async () => {
    const run = await world();
    const apple = await run("run", "sum", "-i", "items=apple,pear");
    expect(apple).toMatchObject({ code: 2 });
    expect(apple.stderr).toContain("items must be a list");
    expect(apple.stderr).toContain(`items='["apple","pear"]'`);
    expect((await run("run", "sum", "-i", "items=[apple, 'pear']")).stderr).toContain(`items='["apple","pear"]'`);
    expect((await run("run", "sum", 'items=["a"]', "options=fast")).stderr).toContain(
      "write an object as JSON: options=",
    );
    const called = await run("call", "web_fetch", "urls=https://example.com");
    expect(called.stderr).toContain(`write a list as JSON: urls='["https://example.com"]'`);
  });

  test.each([
    [["call", "echo", "--message", "apple"], "windlass call echo message=apple"],
    [["call", "echo", "--message=red apple"], 'windlass call echo message="red apple"'],
    [["run", "mail", "--to", "ada"], "windlass run mail to=ada"],
    [["call", "echo", "--json", "--message"], 'windlass call echo message="…"'],
    [["call", "echo", "message", "=", "red apple"], 'without spaces: message="red apple"'],
    [["call", "echo", "message=", "apple"], "without spaces: message=apple"],
    [["run", "mail", "to", "=ada"], "without spaces: to=ada"],
  ])("%j shows how an argument is written", async (words, line) => {
    const run = await world();
    expect(await run(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(line) as string });
  });

  test("chains lists inputs with their types", async () => {
    const run = await world();
    expect((await run("chains")).stdout).toMatch(/sum .*items:list-of-string .*\[factor:number\]/);
  });
});

describe.concurrent("[U19] completion", () => {
  test("knows the inputs of chains and the steps of runs", async () => {
    const run = await world();
    await run("run", "sum", 'items=["a"]', "--run-id", "one");
    const complete = async (...words: string[]): Promise<string[]> =>
      (await run("__complete", ...words)).stdout
        .trim()
        .split("\n")
        .map((line) => line.split("\t")[0] ?? "");
    expect(await complete("run", "sum", "")).toEqual(["items=", "options=", "factor=", ":nospace"]);
    expect(await complete("run", "sum", "-i", "fa")).toEqual(["factor=", ":nospace"]);
    expect(await complete("run", "chains/mail.yaml", "b")).toEqual(["body=", ":nospace"]);
    expect(await complete("explain", "one", "")).toEqual(["first", "second", ":done"]);
    expect(await complete("explain", "last", "sec")).toEqual(["second", ":done"]);
    expect(await complete("rerun", "one", "--from", "f")).toEqual(["first", ":done"]);
    expect(await complete("show", "")).toEqual(["last", "one", ":done"]);
    expect(await complete("explain", "nope", "")).toEqual([":done"]);
    expect(await complete("chains", "show", "su")).toEqual(["sum", ":files"]);
    expect(await complete("chains", "")).toEqual(expect.arrayContaining(["show"]));
  });
});

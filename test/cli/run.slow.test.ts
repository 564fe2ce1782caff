import { join } from "node:path";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import { effects, mailChain, tracingTools } from "./chain-workspace.ts";
import { codeTool, folder, windlass } from "./windlass.ts";

const typed = `name: typed
input: { text: string, count: number=2, tags: "string[]?" }
steps:
  - id: look
    tool: read
    params: { data: { text: "\${input.text}", count: "\${input.count}", tags: "\${input.tags ?? []}", who: "\${context.who ?? 'nobody'}" } }
output: "\${steps.look.output.value}"
`;

const workspace = { ...tracingTools, "windlass.yaml": "", "chains/typed.yaml": typed, "chains/mail.yaml": mailChain };

describe.concurrent("windlass run", () => {
  test("prints the output; values are parsed by the chain's input schema", async () => {
    const cwd = await folder(workspace);
    const words = ["run", "typed", "-i", "text=7", "-i", "count=3", 'tags=["a","b"]', "--context", "who=me"];
    const { code, stdout, stderr } = await windlass(words, { cwd });
    expect({ code, output: JSON.parse(stdout) }).toEqual({
      code: 0,
      output: { text: "7", count: 3, tags: ["a", "b"], who: "me" },
    });
    expect(stderr).toMatch(/^\d\d:\d\d:\d\d\.\d{3} typed: run \S+, 1 step$/m);
    expect(stderr).toMatch(/^\d\d:\d\d:\d\d\.\d{3} look: success in /m);
    expect(stderr).toMatch(/^✓ typed succeeded in .* \(1 step\)$/m);
  });

  test("[F3] a value for an inferred input is text where the parameter takes text, and a number where it takes one", async () => {
    const steps = `steps:
  - { id: text, tool: read, params: { text: "\${input.query}" } }
  - { id: number, tool: read, params: { number: "\${input.count}" } }
  - { id: maybe, tool: read, condition: "\${input.name != null}", params: { text: "\${input.name}" } }
output: ["\${steps.text.output.value}", "\${steps.number.output.value}", "\${steps.maybe.output.value ?? 'none'}"]
`;
    const cwd = await folder({ ...workspace, "chains/inferred.yaml": `name: inferred\n${steps}` });
    const runs = await Promise.all(
      ["2024 3 1984", "true 3.5 null", "007 0 [1]"].map((values) => {
        const [query, count, name] = values.split(" ");
        return windlass(["run", "inferred", "-i", `query=${query}`, `count=${count}`, `name=${name}`], { cwd });
      }),
    );
    expect(runs.map(({ stdout, stderr }) => (stdout === "" ? stderr : JSON.parse(stdout)))).toEqual([
      ["2024", 3, "1984"],
      ["true", 3.5, "none"],
      ["007", 0, "[1]"],
    ]);
    const extra = '{ "query": "x", "count": 1, "name": "y", "mehtod": "POST" }';
    expect(await windlass(["run", "inferred", "--input", extra], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("mehtod"),
    });
    const wrong = await windlass(["run", "inferred", "query=x", "count=many", "name=y"], { cwd });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("count must be a number") });
  });

  test("input comes from JSON, a file or stdin too; a path can be used instead of a name", async () => {
    const cwd = await folder({ ...workspace, "in.json": '{"text": "from a file"}' });
    const runs = await Promise.all([
      windlass(["run", "chains/typed.yaml", "--input", '{"text": "inline"}', "count=9"], { cwd }),
      windlass(["run", "typed", "--input", "@in.json"], { cwd }),
      windlass(["run", "typed", "--input", "-"], { cwd, input: '{"text": "piped"}' }),
    ]);
    expect(runs.map(({ stdout }) => JSON.parse(stdout).text)).toEqual(["inline", "from a file", "piped"]);
  });

  test("a chain file in another workspace runs there, and suggested commands name it", async () => {
    const cwd = await folder({
      "in.json": '{ "name": "Ada" }',
      "beg/windlass.yaml": "",
      "beg/tools/greet.yaml":
        "name: greet\ndescription: Greets.\neffect: pure\nparameters: { message: string }\nentry: { type: builtin, handler: echo }\n",
      "beg/chains/welcome.yaml":
        'name: welcome\ninput: { name: string }\nsteps:\n  - { id: a, tool: greet, params: { message: "${input.name}" } }\n',
    });
    const path = "beg/chains/welcome.yaml";
    const { code, stderr } = await windlass(["run", path, "--input", "@in.json"], { cwd });
    expect([code, stderr]).toEqual([0, expect.stringContaining("welcome")]);
    expect((await readdir(cwd)).toSorted()).toEqual(["beg", "in.json"]);
    expect(await readdir(join(cwd, "beg"))).toContain(".windlass");
    expect((await windlass(["graph", path], { cwd })).stdout).toContain("greet");
    expect((await windlass(["run", path], { cwd })).stderr).toContain("windlass chains -C beg");
  });

  test("[A14] --json prints the execution log, --events prints events line by line", async () => {
    const cwd = await folder(workspace);
    const [log, events] = await Promise.all([
      windlass(["run", "typed", "text=x", "--json"], { cwd }),
      windlass(["run", "typed", "text=x", "--events"], { cwd }),
    ]);
    expect(JSON.parse(log.stdout)).toMatchObject({
      chain_id: expect.any(String),
      name: "typed",
      success: true,
      status: "success",
      steps: [{ id: "look", tool: "read", status: "success", attempts: 1 }],
      metrics: { parallel_speedup: expect.any(Number) },
    });
    const lines = events.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual([
      "run_started",
      "step_started",
      "step_progress",
      "step_finished",
      "run_finished",
    ]);
    expect(lines.at(-1)).toMatchObject({ status: "success", output: { text: "x" }, run_id: expect.any(String) });
    expect(events.stderr).not.toContain("look: started");
  });

  test("usage errors exit with 2 and say what to do", async () => {
    const cwd = await folder({ ...workspace, "chains/bad.yaml": "name: bad\nsteps:\n  - { id: a, tool: raed }\n" });
    const cases: [string[], string][] = [
      [["typd", "text=x"], 'did you mean "typed"?'],
      [["typed", "txt=x"], 'did you mean "text"?'],
      [["typed"], "text is required"],
      [["typed", "text=x", "count=many"], "count"],
      [["bad"], 'did you mean "read"?'],
      [["typed", "text=x", "--run-id", "a b"], "letters, digits"],
      [["no/such.yaml"], "no file"],
    ];
    const runs = await Promise.all(cases.map(([words]) => windlass(["run", ...words], { cwd })));
    for (const [index, { code, stdout, stderr }] of runs.entries()) {
      expect({ words: cases[index]?.[0], code, stdout }).toEqual({ words: cases[index]?.[0], code: 2, stdout: "" });
      expect(stderr).toContain(cases[index]?.[1]);
    }
    expect(await effects(cwd)).toEqual([]);
    const both = await windlass(["run", "typed", "text=x", "--json", "--events"], { cwd });
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("exclude each other") });
  });

  test("a failed run exits with 1 and names the step; one that timed out exits with 124", async () => {
    const cwd = await folder({
      ...workspace,
      "chains/failing.yaml": "name: failing\nsteps:\n  - { id: broken, tool: fails }\n",
      "chains/late.yaml": "name: late\ntimeout: 200ms\nsteps:\n  - { id: slow, tool: read, params: { ms: 60000 } }\n",
    });
    const [failing, late] = await Promise.all([
      windlass(["run", "failing"], { cwd }),
      windlass(["run", "late"], { cwd }),
    ]);
    expect(failing).toMatchObject({ code: 1, stdout: "" });
    expect(failing.stderr).toContain("broken: out of order");
    expect(failing.stderr).toMatch(/for details: windlass explain \S+ broken/);
    expect(late.code).toBe(124);
  });

  test("[N03] a dry run calls read-only tools, writes nothing, and shows the other calls", async () => {
    const cwd = await folder(workspace);
    const { code, stdout, stderr } = await windlass(["run", "mail", "to=ada@example.com", "--dry-run", "--json"], {
      cwd,
    });
    expect(code).toBe(0);
    expect(await effects(cwd)).toEqual(['read {"text":"hello"}']);
    const { dry_run, status } = JSON.parse(stdout);
    expect({ dry_run, status }).toEqual({
      status: "success",
      dry_run: [
        {
          step: "send",
          tool: "send",
          effect: "once",
          args: { to: "ada@example.com", body: "hello" },
          untrusted: { body: "prepare" },
        },
      ],
    });
    expect(stderr).toContain("1 call would have been made, none was");
    expect(stderr).toContain("ada@example.com");
    const { stdout: listed } = await windlass(["runs", "--json"], { cwd });
    expect(JSON.parse(listed)).toEqual([]);
  });

  test("the same --run-id joins the existing run; with other input it is rejected", async () => {
    const cwd = await folder(workspace);
    const first = await windlass(["run", "typed", "text=x", "--run-id", "mine"], { cwd });
    const [again, other] = await Promise.all([
      windlass(["run", "typed", "text=x", "--run-id", "mine"], { cwd }),
      windlass(["run", "typed", "text=y", "--run-id", "mine"], { cwd }),
    ]);
    expect(again).toMatchObject({ code: 0, stdout: first.stdout });
    expect(other.code).not.toBe(0);
    expect(other.stderr).toContain("run mine already exists");
    expect(await effects(cwd)).toHaveLength(1);
  });

  test("a run id begins with a letter or digit, and the message says so; also for runs that are not durable", async () => {
    const cwd = await folder({
      ...workspace,
      "chains/light.yaml": typed.replace("name: typed", "name: light\ndurable: false"),
    });
    const ids = ["__proto__", "..", "-x", "a/b", "x".repeat(129)];
    const runs = await Promise.all(
      ids.flatMap((id) =>
        ["typed", "light"].map((name) => windlass(["run", name, "text=x", `--run-id=${id}`], { cwd })),
      ),
    );
    for (const { code, stderr } of runs) {
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("begin with a letter or digit"),
      });
    }
    expect(await effects(cwd)).toEqual([]);
  });

  test("runs shows enough of a long input to distinguish runs", async () => {
    const cwd = await folder(workspace);
    await windlass(["run", "typed", `text=${"long ".repeat(2000)}`], { cwd });
    const { stdout } = await windlass(["runs"], { cwd });
    expect(stdout).toContain('{"text":"long long');
    expect(stdout.length).toBeLessThan(400);
  });

  test("for a named secret without a value, the variable to set is shown", async () => {
    const cwd = await folder({
      ...workspace,
      "windlass.yaml": "secrets: { TOK: { env: MY_TOKEN }, FILED: { file: secrets/filed } }\n",
      "chains/token.yaml": 'name: token\nsteps:\n  - { id: a, tool: read, params: { text: "${secret.TOK}" } }\n',
      "chains/filed.yaml": 'name: filed\nsteps:\n  - { id: a, tool: read, params: { text: "${secret.FILED}" } }\n',
    });
    const [token, filed] = await Promise.all([
      windlass(["run", "token"], { cwd }),
      windlass(["run", "filed"], { cwd }),
    ]);
    expect(token.stderr).toContain("the secret TOK is not set; set the environment variable MY_TOKEN");
    expect(filed.stderr).toContain("the secret FILED is not set; put the value into the file secrets/filed");
  });

  test("a secret that a tool returns is not printed, with or without --json", async () => {
    const cwd = await folder({
      ...workspace,
      "windlass.yaml": "secrets: { TOK: { env: MY_TOKEN } }\n",
      "chains/token.yaml":
        'name: token\nsteps:\n  - { id: a, tool: read, params: { text: "${secret.TOK}" } }\noutput: "it is ${steps.a.output.value}"\n',
    });
    const env = { MY_TOKEN: "tok-0123456789abcdef" };
    const [plain, json] = await Promise.all([
      windlass(["run", "token"], { cwd, env }),
      windlass(["run", "token", "--json"], { cwd, env }),
    ]);
    expect(plain.code).toBe(0);
    expect(JSON.parse(plain.stdout)).toBe(JSON.parse(json.stdout).output);
    expect(plain.stdout + plain.stderr).not.toContain(env.MY_TOKEN);
  });

  test("a chain that is not durable stores no run", async () => {
    const cwd = await folder({ ...workspace, "windlass.yaml": "chains: { durable: false }\n" });
    const { code } = await windlass(["run", "typed", "text=x"], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse((await windlass(["runs", "--json"], { cwd })).stdout)).toEqual([]);
  });

  test("a chain that needs approval is not started without an approver, and a call that a rule stops is rejected", async () => {
    const cwd = await folder({
      ...workspace,
      "windlass.yaml": 'chains: { durable: false }\npermissions: { ask: ["send"] }\n',
      "chains/plain.yaml": "name: plain\nsteps:\n  - { id: out, tool: send, params: { to: ada } }\n",
    });
    const request = await windlass(["run", "mail", "to=ada"], { cwd });
    expect(request).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining('its step "send" needs') });
    expect(request.stderr).toContain("remove `durable: false`");
    expect(await effects(cwd)).toEqual([]);
    const ruled = await windlass(["run", "plain"], { cwd });
    expect(ruled).toMatchObject({ code: 1, stderr: expect.stringContaining("no approver is available") });
    expect(await effects(cwd)).toEqual([]);
  });
});

const saga = `name: saga
steps:
  - { id: first, tool: send, params: { to: first }, compensate: { tool: send, params: { to: undo-first } } }
  - { id: long, tool: read, depends_on: [first], params: { ms: 60000 } }
  - { id: last, tool: send, depends_on: [long], params: { to: last } }
`;

/** Resolves when a handler has written this line. */
function seen(cwd: string, start: string): Promise<void> {
  return vi.waitFor(async () => expect((await effects(cwd)).some((line) => line.startsWith(start))).toBe(true), {
    timeout: 20_000,
    interval: 20,
  });
}

describe.concurrent("a run that is stopped", () => {
  test("a run stopped by Ctrl-C is cancelled: the handler is aborted, completed steps are compensated, and the code is 130", async () => {
    const cwd = await folder({ ...workspace, "chains/saga.yaml": saga });
    const { code, stderr } = await windlass(["run", "saga"], {
      cwd,
      onStart: (kill) =>
        void seen(cwd, "read").then(
          () => kill("SIGINT"),
          () => kill("SIGKILL"),
        ),
    });
    expect(code).toBe(130);
    expect(stderr).toContain("Cancelling the run");
    expect(stderr).toContain("undone: first");
    expect(await effects(cwd)).toEqual(['send {"to":"first"}', 'read {"ms":60000}', 'send {"to":"undo-first"}']);
    const { stdout } = await windlass(["runs", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([{ chain: "saga", status: "cancelled" }]);
  });

  test("a second Ctrl-C exits immediately, and shows how to resume", async () => {
    const closed = `import { appendFileSync } from "node:fs";
export default () => { appendFileSync("effects.log", "deaf\\n"); return new Promise((done) => setTimeout(done, 3600e3)); };`;
    const cwd = await folder({
      ...workspace,
      ...codeTool("deaf", closed, "effect: read"),
      "chains/stuck.yaml": "name: stuck\nsteps:\n  - { id: deaf, tool: deaf }\n",
    });
    let stopping = false;
    const { code, stderr } = await windlass(["run", "stuck", "--run-id", "stuck-1"], {
      cwd,
      onStart: (kill) => void seen(cwd, "deaf").finally(() => kill("SIGINT")),
      onStderr: (text, kill) => {
        if (!stopping && text.includes("Cancelling the run")) {
          stopping = true;
          kill("SIGINT");
        }
      },
    });
    expect({ code, stderr }).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/Complete the cancellation with: .*windlass resume stuck-1/),
    });
    // It was being cancelled, and resuming completes the cancellation.
    const resumed = await windlass(["resume", "stuck-1"], { cwd });
    expect(resumed).toMatchObject({ code: 1, stderr: expect.stringContaining("was cancelled") });
  });

  test("a run stopped by kill -9 continues with resume without repeating completed steps", async () => {
    const cwd = await folder({ ...workspace, "chains/saga.yaml": saga.replace("60000", "1500") });
    const killed = await windlass(["run", "saga", "--run-id", "half"], {
      cwd,
      onStart: (kill) => void seen(cwd, "read").finally(() => kill("SIGKILL")),
    });
    expect(killed.signal).toBe("SIGKILL");
    const before = await windlass(["runs"], { cwd });
    expect(before.stdout).toContain("interrupted");
    expect(before.stderr).toContain("windlass resume");
    const { code, stderr } = await windlass(["resume"], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("1 step done earlier") });
    expect(await effects(cwd)).toEqual([
      'send {"to":"first"}',
      'read {"ms":1500}',
      'read {"ms":1500}',
      'send {"to":"last"}',
    ]);
    const nothing = await windlass(["resume"], { cwd });
    expect(nothing).toMatchObject({ code: 0, stderr: expect.stringContaining("No interrupted runs") });
  });

  test("a run stopped by kill -9 can be cancelled by another process, which compensates completed steps", async () => {
    const cwd = await folder({ ...workspace, "chains/saga.yaml": saga });
    await windlass(["run", "saga", "--run-id", "half"], {
      cwd,
      onStart: (kill) => void seen(cwd, "read").finally(() => kill("SIGKILL")),
    });
    const { code } = await windlass(["cancel", "half"], { cwd });
    expect(code).toBe(0);
    expect((await effects(cwd)).at(-1)).toBe('send {"to":"undo-first"}');
    const again = await windlass(["cancel", "half"], { cwd });
    expect(again.stderr).toContain("had already ended");
  });

  test("a run cancelled by another process ends soon, and its process says who cancelled it", async () => {
    const cwd = await folder({ ...workspace, "chains/saga.yaml": saga });
    const running = windlass(["run", "saga", "--run-id", "live"], { cwd });
    await seen(cwd, "read");
    const shown = await windlass(["show", "live", "--json"], { cwd });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      status: "running",
      completed_at: null,
      steps: [
        { id: "first", status: "success" },
        { id: "long", status: "running" },
      ],
    });
    const held = await windlass(["resume", "live"], { cwd });
    expect(held).toMatchObject({ code: 1, stderr: expect.stringContaining("run_held") });
    const cancelled = await windlass(["cancel", "live", "--json"], { cwd });
    expect({ code: cancelled.code, log: JSON.parse(cancelled.stdout) }).toMatchObject({
      code: 0,
      log: { status: "cancelled" },
    });
    const { code, stderr } = await running;
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("cancelled by") });
  });
});

describe.concurrent("inspecting runs", () => {
  test("[N07] runs, show and explain report what happened; unknown ids get a suggestion", async () => {
    const cwd = await folder({
      ...workspace,
      "chains/choice.yaml": `name: choice
input: { n: number }
steps:
  - { id: look, tool: read, params: { number: "\${input.n}" } }
  - { id: big, tool: read, condition: "\${steps.look.output.value > 10}", params: { text: big } }
  - { id: spare, tool: fails, error_handling: { strategy: fallback, fallback: [{ tool: read, params: { text: spare } }] } }
`,
    });
    await windlass(["run", "choice", "n=3", "--run-id", "once-more"], { cwd });
    const [list, shown, why, unknownRun, unknownStep] = await Promise.all([
      windlass(["runs", "--chain", "choice", "--status", "success", "--json"], { cwd }),
      windlass(["show", "once-more"], { cwd }),
      windlass(["explain", "once-more", "big"], { cwd }),
      windlass(["show", "once-mroe"], { cwd }),
      windlass(["explain", "once-more", "bgi"], { cwd }),
    ]);
    expect(JSON.parse(list.stdout)).toMatchObject([
      { run_id: "once-more", chain: "choice", status: "success", started_at: expect.stringMatching(/^\d{4}-/) },
    ]);
    expect(shown.stdout).toMatch(/✓ look +read/);
    expect(shown.stdout).toContain('in  {"number":3}');
    expect(shown.stdout).toMatch(/– big .*did not hold/);
    expect(shown.stdout).toMatch(/✓ spare .*fallback read used/);
    expect(why.stdout).toContain("steps.look.output.value = 3");
    expect(unknownRun).toMatchObject({ code: 2, stderr: expect.stringContaining("did you mean once-more?") });
    expect(unknownStep).toMatchObject({ code: 2, stderr: expect.stringContaining("big") });
  });

  test("[N07] a cancelled step is shown as cancelled, and one item can be explained", async () => {
    const cwd = await folder({
      ...workspace,
      "chains/each.yaml": `name: each
steps:
  - { id: all, tool: read, for_each: [5, 6], params: { number: "\${item}" } }
  - { id: slow, tool: read, params: { ms: 60000 } }
  - { id: bad, tool: fails, depends_on: [all] }
  - { id: later, tool: read, depends_on: [bad] }
`,
    });
    await windlass(["run", "each", "--run-id", "r"], { cwd });
    const [shown, item, none] = await Promise.all([
      windlass(["show", "r"], { cwd }),
      windlass(["explain", "r", "all[1]"], { cwd }),
      windlass(["explain", "r", "all[2]"], { cwd }),
    ]);
    expect(shown.stdout).toMatch(/✗ slow .*cancelled/);
    expect(shown.stdout).toMatch(/✗ later .*cancelled/);
    expect(item.stdout).toMatch(
      /^Item 1 of all called read and succeeded after .*\nIts arguments were \{"number":6\}\.$/m,
    );
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("its items are 0 to 1") });
  });

  test("rerun --from reuses steps that do not depend on the step", async () => {
    const cwd = await folder({
      ...workspace,
      "chains/two.yaml":
        'name: two\nsteps:\n  - { id: a, tool: read, params: { text: one } }\n  - { id: b, tool: send, params: { to: x, body: "${steps.a.output.value}" } }\n',
    });
    await windlass(["run", "two", "--run-id", "first"], { cwd });
    const { code, stdout } = await windlass(["rerun", "first", "--from", "b", "--json"], { cwd });
    expect(code).toBe(0);
    const { steps, metrics } = JSON.parse(stdout);
    expect(steps).toMatchObject([{ id: "a", duration_ms: 0 }, { id: "b" }]);
    expect(metrics.parallel_speedup).toBeLessThan(2);
    expect(await effects(cwd)).toEqual([
      'read {"text":"one"}',
      'send {"to":"x","body":"one"}',
      'send {"to":"x","body":"one"}',
    ]);
  });

  test("[N04] test runs a chain against a recorded run: 0 if it is equal, 1 with the first difference", async () => {
    const cwd = await folder(workspace);
    await windlass(["run", "typed", "text=x", "--run-id", "recorded"], { cwd });
    const same = await windlass(["test", "typed", "--replay", "recorded"], { cwd });
    expect(same).toMatchObject({ code: 0, stderr: expect.stringContaining("same as run recorded") });
    await writeFile(join(cwd, "chains/typed.yaml"), typed.replace("'nobody'", "'somebody'"));
    const [other, json] = await Promise.all([
      windlass(["test", "chains/typed.yaml", "--replay", "recorded"], { cwd }),
      windlass(["test", "typed", "--replay", "recorded", "--json"], { cwd }),
    ]);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("somebody") });
    expect(JSON.parse(json.stdout)).toMatchObject({ same: false, difference: { kind: "input", step: "look" } });
    expect(await effects(cwd)).toHaveLength(1);
    expect(await readFile(join(cwd, "chains/typed.yaml"), "utf8")).toContain("somebody");
  });
});

import { rm } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { userInfo } from "node:os";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Workspace, openWorkspace } from "../../src/app/index.ts";
import { type Server, createServer } from "../../src/server/index.ts";
import { type ModelServer, modelServer } from "../../src/testing.ts";
import { mailChain, tracingTools } from "./chain-workspace.ts";
import { onceTool } from "./agent-workspace.ts";
import { type Run, type RunOptions, folder, printedBy, windlass } from "./windlass.ts";

vi.setConfig({ testTimeout: 60_000 });

const token = "token-for-the-tests-of-the-program";
let model: ModelServer;
let cwd = "";
/** The same files, without a server. */
let alone = "";
let workspace: Workspace;
let server: Server;
let url = "";

beforeAll(async () => {
  model = await modelServer(() => "Blue.");
  const files = {
    ...tracingTools,
    "tools/mail.yaml": onceTool["tools/send.yaml"]?.replace("name: send", "name: post_mail") ?? "",
    "tools/send.ts": tracingTools["tools/send.ts"] ?? "",
    "windlass.yaml": `models: { default: { base_url: "${model.baseUrls.openai}", model: test } }
permissions: { ask: [post_mail] }
`,
    "chains/mail.yaml": mailChain,
    "chains/greet.yaml": `name: greet
input: { text: "string = 'hi'", count: "integer = 1" }
steps:
  - { id: first, tool: read, params: { text: "\${input.text}" } }
  - { id: second, tool: read, params: { text: "\${steps.first.output.value}!" } }
output: { said: "\${steps.second.output.value}" }
`,
    "chains/fails.yaml": `name: fails
steps:
  - { id: try, tool: http_request, params: { url: "http://127.0.0.1:1/" } }
`,
    "chains/paid.yaml": `name: paid
steps:
  - { id: payment, wait: { event: payment, timeout: 1h } }
`,
    "chains/pause.yaml": `name: pause
steps:
  - { id: wait, tool: read, params: { ms: 3000 } }
`,
    "chains/slow.yaml": `name: slow
steps:
  - { id: wait, tool: read, params: { ms: 30000 } }
`,
  };
  [cwd, alone] = [await folder(files), await folder(files)];
  workspace = await openWorkspace(cwd, { reload: false });
  server = createServer(workspace, { tokens: { cli: token } });
  ({ url } = await server.listen(0));
});

afterAll(async () => {
  await server.close();
  await workspace.close();
  await model.close();
  // The tools of this process write their trace into its folder.
  await rm("effects.log", { force: true });
});

const here = (words: readonly string[], options: Partial<RunOptions> = {}): Promise<Run> =>
  windlass(words, { cwd, ...options });

/** The program in a folder without a workspace, with the server in its environment. */
async function remote(words: readonly string[], options: Partial<RunOptions> = {}): Promise<Run> {
  const env = { WINDLASS_SERVER: url, WINDLASS_TOKEN: token, ...options.env };
  return windlass(words, { cwd: await folder(), ...options, env });
}

/** Replaces what differs between two executions: ids, times and durations. */
function masked({ code, stdout, stderr }: Run): Pick<Run, "code" | "stdout" | "stderr"> {
  const mask = (text: string): string =>
    text
      .replaceAll(/\b[a-z0-9]{12}-\d+\b/g, "ID")
      // Progress that was reported before the program was connected, and figures of the process of a run.
      .replaceAll(/^.*· reading\n/gm, "")
      .replaceAll(/,?\n *"(?:cpu_ms|cpu_utilisation|peak_rss_mb|memory_utilisation)": [\d.]+/g, "")
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?/g, "TIME")
      .replaceAll(/\b\d\d:\d\d:\d\d(?:\.\d+)?/g, "TIME")
      .replaceAll(/("\w*(?:_ms|speedup)"): [\d.]+/g, "$1: 0")
      .replaceAll(/\b\d[\d.,]* (?:ms|s|min)\b/g, "DURATION")
      .replaceAll(/\?v=\w+/g, "")
      .replaceAll(/ {2,}/g, "  ");
  return { code, stdout: mask(stdout), stderr: mask(stderr) };
}

async function expectSame(words: readonly string[], options: Partial<RunOptions> = {}): Promise<Run> {
  const [local, other] = [await here(words, options), await remote(words, options)];
  expect(masked(other)).toEqual(masked(local));
  return other;
}

/** A run of the chain that waits for an approval, by default in a workspace without a server. */
async function waitingRun(
  options: Partial<RunOptions> = { cwd: alone },
): Promise<{ readonly run: string; readonly approval: string }> {
  const started = await here(["run", "mail", "to=ann", "--json"], options);
  const log = printedBy(started) as {
    readonly chain_id: string;
    readonly steps: readonly { readonly pending_approvals?: readonly { readonly approval_id: string }[] }[];
  };
  const [approval] = log.steps.flatMap((step) => step.pending_approvals ?? []);
  return { run: log.chain_id, approval: approval?.approval_id ?? "" };
}

describe("the same command prints the same on a server as on its workspace, with the same exit code [P10]", () => {
  test.each<readonly [string, readonly string[], number]>([
    ["run", ["run", "greet", "text=hello"], 0],
    ["run --json", ["run", "greet", "--json"], 0],
    ["run of a chain that fails", ["run", "fails"], 1],
    ["run of a chain that waits", ["run", "mail", "to=ann"], 3],
    ["run with a wrong input", ["run", "greet", "count=many"], 2],
    ["run with an unknown input", ["run", "greet", "texts=x"], 2],
    ["run of an unknown chain", ["run", "great"], 2],
    ["call", ["call", "read", "text=hello"], 0],
    ["call --json", ["call", "calculator", "expression=2*(3+4)", "--json"], 0],
    ["call with wrong arguments", ["call", "calculator", "expresion=1", "--json"], 2],
    ["call of an unknown tool", ["call", "calculater", "expression=1"], 2],
    ["call that fails", ["call", "fails"], 1],
    ["call that needs approval", ["call", "post_mail", "to=ann"], 3],
    ["ask", ["ask", "Which colour is the sky?"], 0],
    ["ask --json", ["ask", "Which colour is the sky?", "--json"], 0],
    ["ask with an unknown runner", ["ask", "hi", "--runner", "autonomus"], 2],
    ["tools", ["tools"], 0],
    ["tools --json of a source", ["tools", "--source", "builtin", "--category", "data", "--json"], 0],
    ["tools of an unknown source", ["tools", "--source", "builtins"], 2],
    ["tools search", ["tools", "search", "send", "a", "mail", "--limit", "3"], 0],
    ["runs", ["runs"], 0],
    ["runs --json", ["runs", "--json"], 0],
    ["runs of a kind", ["runs", "--kind", "agent", "--limit", "1"], 0],
    ["show", ["show", "last"], 0],
    ["show --json", ["show", "last", "--json"], 0],
    ["show of an unknown run", ["show", "none"], 2],
    ["explain", ["explain", "last"], 0],
    ["explain --json", ["explain", "last", "--json"], 0],
    ["approvals", ["approvals"], 0],
    ["approvals --all --json", ["approvals", "--all", "--json"], 0],
    ["approve of an unknown approval", ["approve", "none"], 2],
    ["cancel of an unknown run", ["cancel", "none"], 2],
    ["rerun of an agent's run", ["rerun", "last"], 2],
  ])("%s", async (_title, words, code) => {
    expect((await expectSame(words)).code).toBe(code);
  });

  test.each([["approve"], ["reject"]])("%s", async (verb) => {
    const [one, other] = [await waitingRun(), await waitingRun({})];
    const local = await here([verb, one.approval, "--note", "checked"], { cwd: alone });
    const decided = await remote([verb, other.approval, "--note", "checked"]);
    // Elsewhere the approver is the user, and a run that waits is resumed by the program itself.
    const user = userInfo().username;
    const stderr = local.stderr.replaceAll(`by ${user}`, "by cli").replace(/^.* waits for approval .*\n/m, "");
    expect(masked(decided)).toEqual(masked({ ...local, stderr }));
    expect(decided.code).toBe(0);
    // The second decision does not count.
    const [again, late] = [await here([verb, one.approval], { cwd: alone }), await remote([verb, other.approval])];
    expect(late.code).toBe(again.code);
    expect(late.stderr).toContain("by cli");
    expect(await workspace.approvals.find(other.approval)).toMatchObject({ decidedBy: "cli", note: "checked" });
  });

  test("show, explain and approvals of a run that waits", async () => {
    const { run, approval } = await waitingRun({});
    for (const words of [
      ["show", run],
      ["explain", run, "send"],
      ["approvals", approval],
    ])
      expect((await expectSame(words)).code).toBe(0);
  });

  test("cancel of a run that waits", async () => {
    const [one, other] = [await waitingRun(), await waitingRun({})];
    const local = await here(["cancel", one.run], { cwd: alone });
    expect(masked(await remote(["cancel", other.run]))).toEqual(masked(local));
    expect((await workspace.runs.find(other.run))?.status).toBe("cancelled");
  });

  test("rerun from a step", async () => {
    const { stdout } = await here(["run", "greet", "--json"]);
    const { chain_id: id } = JSON.parse(stdout) as { readonly chain_id: string };
    const again = await expectSame(["rerun", id, "--from", "second"]);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("reused: first")]);
  });

  test("resume of a run that has ended", async () => {
    const { stdout } = await here(["run", "greet", "--json"]);
    const { chain_id: id } = JSON.parse(stdout) as { readonly chain_id: string };
    expect((await expectSame(["resume", id, "--json"])).code).toBe(0);
  });
});

test("an event is delivered to a run of a server, which continues it [P10]", async () => {
  expect((await remote(["run", "paid", "--run-id", "paid-1"])).stderr).toContain("the event payment");
  const delivered = await remote(["event", "paid-1", "payment", '{"amount": 20}', "--id", "p1", "--json"]);
  expect(delivered).toMatchObject({ code: 0, stdout: expect.stringContaining('"repeated": false') });
  await expect.poll(async () => (await workspace.runs.find("paid-1"))?.status, { timeout: 20_000 }).toBe("success");
  const again = await remote(["event", "paid-1", "payment", '{"amount": 20}', "--id", "p1", "--json"]);
  expect(again.stdout).toContain('"repeated": true');
});

test("events of a run and of an agent are printed while the server executes it [P10]", async () => {
  const run = await remote(["run", "greet", "--events"]);
  const types = run.stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { readonly type: string }).type);
  expect(types.filter((type) => type !== "step_progress")).toEqual([
    "run_started",
    "step_started",
    "step_finished",
    "step_started",
    "step_finished",
    "run_finished",
  ]);
  const replied = await remote(["ask", "hi", "--events"]);
  const last = replied.stdout.trim().split("\n").at(-1) ?? "";
  expect(JSON.parse(last)).toMatchObject({ type: "run_finished", answer: "Blue." });
});

test("Ctrl-C cancels the run on the server, and the program ends with the code for it [P10]", async () => {
  const ended = await remote(["run", "slow", "--run-id", "slow-1"], {
    onStderr: (text, kill) => {
      if (text.includes("wait: started")) kill("SIGINT");
    },
  });
  expect([ended.code, ended.stderr]).toEqual([130, expect.stringContaining("Cancelling the run")]);
  expect((await workspace.runs.find("slow-1"))?.status).toBe("cancelled");
});

test("a program that is terminated leaves the run to the server, and says how to follow it [P10]", async () => {
  const ended = await remote(["run", "slow", "--run-id", "slow-2"], {
    onStderr: (text, kill) => {
      if (text.includes("wait: started")) kill("SIGTERM");
    },
  });
  expect(ended.stderr).toContain("continues on the server");
  expect((await workspace.runs.find("slow-2"))?.status).toBe("running");
  const cancelled = await remote(["cancel", "slow-2"]);
  expect([cancelled.code, (await workspace.runs.find("slow-2"))?.status]).toEqual([0, "cancelled"]);
});

describe("an error of the server is reported with its remedy [P10]", () => {
  const cases: readonly (readonly [string, () => Partial<Record<string, string>>, number, string])[] = [
    ["no server", () => ({ WINDLASS_SERVER: "http://127.0.0.1:9" }), 1, "windlass serve"],
    ["not an address", () => ({ WINDLASS_SERVER: "localhost:4780" }), 2, "http://127.0.0.1:4780"],
    ["an address with a password", () => ({ WINDLASS_SERVER: "http://ann:secret@127.0.0.1/" }), 2, "WINDLASS_TOKEN"],
    ["no token", () => ({ WINDLASS_TOKEN: "" }), 2, "windlass token create"],
    ["a wrong token", () => ({ WINDLASS_TOKEN: "wrong-token-wrong-token" }), 2, "refused the token"],
    ["a token that is none", () => ({ WINDLASS_TOKEN: "wrong token" }), 2, "is not a token"],
    ["https without TLS", () => ({ WINDLASS_SERVER: url.replace("http:", "https:") }), 1, "http://"],
  ];
  test.each(cases)("%s", async (_title, env, code, says) => {
    const result = await remote(["runs"], { env: env() as Record<string, string> });
    expect([result.code, result.stdout]).toEqual([code, ""]);
    expect(result.stderr).toContain(says);
    expect(result.stderr).not.toMatch(/secret|wrong-token|wrong token|unexpected/);
  });

  test("another program, another version of the API, and a redirect", async () => {
    let headers: Record<string, string> = {};
    let status = 200;
    let received: string | undefined;
    const other = createHttpServer((request, response) => {
      received = request.headers.authorization;
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end('{"items":[],"next_cursor":null}');
    });
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const env = { WINDLASS_SERVER: `http://127.0.0.1:${(other.address() as AddressInfo).port}` };
    expect(await remote(["runs"], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("not as a Windlass server"),
    });
    headers = { "windlass-api": "2" };
    expect(await remote(["runs"], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("version 2 of the API"),
    });
    [status, headers] = [307, { location: `${url}/v1/runs` }];
    expect(await remote(["runs"], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("not as a Windlass server"),
    });
    expect(received).toBe(`Bearer ${token}`);
    other.close();
  });

  test("a server that is unreachable while a run is followed is reached again", async () => {
    const target = new URL(url);
    const relay = createHttpServer((request, response) => {
      void fetch(new URL(request.url ?? "/", target), {
        method: request.method ?? "GET",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(request.method === "POST" && { body: request, duplex: "half" }),
      }).then(async (got) => {
        response.writeHead(got.status, { "content-type": got.headers.get("content-type") ?? "", "windlass-api": "1" });
        if (got.body !== null) for await (const chunk of got.body) response.write(chunk);
        response.end();
      });
    });
    await new Promise<void>((done) => relay.listen(0, "127.0.0.1", done));
    const env = { WINDLASS_SERVER: `http://127.0.0.1:${(relay.address() as AddressInfo).port}` };
    let isCut = false;
    const done = await remote(["run", "pause", "--json"], {
      env,
      onStderr: (text) => {
        if (isCut || !text.includes("wait: started")) return;
        isCut = true;
        relay.closeAllConnections();
      },
    });
    expect([isCut, done.code, done.stderr]).toEqual([
      true,
      0,
      expect.stringContaining("connection to the server is lost"),
    ]);
    expect(done.stderr.match(/wait: started/g)).toHaveLength(1);
    relay.close();
  });
});

test("a command for the files of this machine refuses --server, and says that it ignores the variable [P10]", async () => {
  const refused = await remote(["validate", "--server", url]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("takes no --server")]);
  const noted = await remote(["validate"]);
  expect(noted.stderr).toContain("not on WINDLASS_SERVER");
  expect((await remote(["schema", "chain"])).stderr).toBe("");
});

test("--server wins over the variable, and suggested commands repeat it; http to another host gives a warning [P10]", async () => {
  const env = { WINDLASS_SERVER: "http://127.0.0.1:9" };
  const waiting = await remote(["run", "mail", "to=ann", "--server", url], { env });
  expect([waiting.code, waiting.stderr]).toEqual([3, expect.stringContaining(`windlass approve --server ${url}`)]);
  const { stderr } = await remote(["runs", "--server", "http://no-such-host.invalid:1"]);
  expect(stderr).toContain("unencrypted");
});

test("a token without the scope is refused, and no argument of the program contains it [P10] [P06]", async () => {
  const { token: reader } = await workspace.tokens.create({ name: "reader", scopes: ["read"] });
  const env = { WINDLASS_TOKEN: reader };
  expect((await remote(["runs"], { env })).code).toBe(0);
  const refused = await remote(["run", "greet"], { env });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('no scope "run"')]);
});

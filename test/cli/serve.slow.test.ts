import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { serving } from "./serving.ts";
import { codeTool, folder, windlass } from "./windlass.ts";

/** Appends its name to a file, once; and a tool that ends when there is a file `go`. */
const tools = {
  ...codeTool(
    "note",
    `import { appendFileSync } from "node:fs";\nexport default async () => (appendFileSync("effects.log", "note\\n"), { noted: true });\n`,
    "effect: once",
  ),
  ...codeTool(
    "linger",
    `import { appendFileSync, existsSync } from "node:fs";
export default async (_input, { signal }) => {
  appendFileSync("effects.log", "linger\\n");
  while (!existsSync("go")) {
    signal.throwIfAborted();
    await new Promise((done) => setTimeout(done, 20));
  }
  return { lingered: true };
};
`,
    "effect: read\ntimeout: 600",
  ),
  "chains/trip.yaml": `name: trip
steps:
  - { id: first, tool: note }
  - { id: second, tool: linger, depends_on: [first] }
  - { id: third, tool: note, depends_on: [second] }
output: { done: "\${steps.third.output.noted}" }
`,
};

async function effects(cwd: string): Promise<string[]> {
  const text = await readFile(join(cwd, "effects.log"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** Waits until the slow tool runs for the n-th time. */
function lingering(cwd: string, times = 1): Promise<void> {
  return vi.waitFor(async () => expect((await effects(cwd)).filter((name) => name === "linger")).toHaveLength(times), {
    timeout: 20_000,
    interval: 20,
  });
}

function endOf({ send }: Awaited<ReturnType<typeof serving>>, runId: string): Promise<unknown> {
  return vi.waitFor(
    async () => {
      const { body } = await send("GET", `/v1/runs/${runId}`);
      expect(body).toMatchObject({ status: expect.stringMatching(/success|failed|cancelled/) });
      return body;
    },
    { timeout: 30_000, interval: 100 },
  );
}

describe.concurrent("windlass serve", () => {
  test("prints a link whose code opens one session, and the token in .windlass opens it, too [P06] [P11]", async () => {
    const cwd = await folder({});
    const server = await serving(cwd);
    expect(server.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{32}$/);
    const redeem = (): Promise<Response> =>
      fetch(`${server.url}/v1/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code: server.link.split("=")[1] }),
      });
    const session = (await (await redeem()).json()) as { readonly token: string };
    const headers = { authorization: `Bearer ${session.token}` };
    expect((await fetch(`${server.url}/v1/tokens`, { headers })).status).toBe(200);
    expect((await redeem()).status).toBe(401);
    expect(await server.send("POST", "/v1/tools/echo/call", { args: { message: "hi" } })).toMatchObject({
      status: 200,
      body: { output: { message: "hi" } },
    });
    server.child.kill("SIGTERM");
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.stderr()).toMatch(/POST \/v1\/tools\/\{name\}\/call 200/);
    expect(server.stderr()).toMatch(/stopped\n$/);
  });

  test("a run that a kill interrupted is resumed at the next start, without repeating a once step [P02] [P11]", async () => {
    const cwd = await folder(tools);
    const first = await serving(cwd);
    const { status, body } = await first.send("POST", "/v1/chains/trip/runs", { run_id: "trip-1" });
    expect([status, body]).toMatchObject([202, { run_id: "trip-1" }]);
    await lingering(cwd);
    first.child.kill("SIGKILL");
    await first.ended;
    const second = await serving(cwd);
    await lingering(cwd, 2);
    await writeFile(join(cwd, "go"), "");
    expect(await endOf(second, "trip-1")).toMatchObject({ status: "success", output: { done: true } });
    expect(await effects(cwd)).toEqual(["note", "linger", "linger", "note"]);
  });

  test("SIGTERM answers running requests, starts nothing more, and releases runs for the next process [P11]", async () => {
    const cwd = await folder(tools);
    const first = await serving(cwd);
    await first.send("POST", "/v1/chains/trip/runs", { run_id: "trip-1" });
    await lingering(cwd);
    const call = first.send("POST", "/v1/tools/linger/call", {});
    await lingering(cwd, 2);
    first.child.kill("SIGTERM");
    await vi.waitFor(async () => expect((await first.send("GET", "/readyz")).status).toBe(503), 5_000);
    expect(await first.send("GET", "/healthz")).toMatchObject({ status: 200 });
    expect(await first.send("POST", "/v1/tools/echo/call", { args: { message: "x" } })).toMatchObject({
      status: 503,
      body: { code: "shutting_down" },
    });
    await writeFile(join(cwd, "go"), "");
    expect(await call).toMatchObject({ status: 200, body: { output: { lingered: true } } });
    expect(await first.ended).toEqual({ code: 0, signal: null });
    const second = await serving(cwd);
    expect(await endOf(second, "trip-1")).toMatchObject({ status: "success" });
    expect((await effects(cwd)).filter((name) => name === "note")).toHaveLength(2);
  });

  test("a run that is executed when it drains is suspended, not cancelled or failed [P11]", async () => {
    const cwd = await folder(tools);
    const first = await serving(cwd);
    await first.send("POST", "/v1/chains/trip/runs", { run_id: "trip-1" });
    await lingering(cwd);
    first.child.kill("SIGINT");
    expect(await first.ended).toEqual({ code: 0, signal: null });
    const { stdout } = await windlass(["runs", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject([
      { run_id: "trip-1", status: expect.stringMatching(/running|interrupted/) },
    ]);
    await writeFile(join(cwd, "go"), "");
    expect(await endOf(await serving(cwd), "trip-1")).toMatchObject({ status: "success" });
  });

  test("a second signal ends it at once [P11]", async () => {
    const cwd = await folder(tools);
    const server = await serving(cwd);
    const call = server.send("POST", "/v1/tools/linger/call", {}).catch(() => "broken off");
    await lingering(cwd);
    server.child.kill("SIGINT");
    await vi.waitFor(() => expect(server.stderr()).toContain("stopping"), 5_000);
    server.child.kill("SIGINT");
    expect(await server.ended).toEqual({ code: 130, signal: null });
    expect(await call).toBe("broken off");
  });

  test("a port in use, an address without a token, and a bad token are refused with what to do [P06] [P11]", async () => {
    const cwd = await folder({});
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as { readonly port: number };
    const inUse = await windlass(["serve", "--port", String(port)], { cwd });
    taken.close();
    expect(inUse).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("another program uses this port"),
    });
    const open = await windlass(["serve", "--host", "0.0.0.0", "--port", "0"], { cwd });
    expect(open).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("a token is required") });
    expect(open.stderr).toContain("windlass token create NAME");
    const short = await windlass(["serve", "--port", "0"], { cwd, env: { WINDLASS_TOKEN: "short" } });
    expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining("at least 16 characters") });
  });

  test("another address of this machine is served with a token, and its log gets no code [P06] [P11]", async () => {
    const cwd = await folder({});
    await windlass(["token", "create", "ci", "--scope", "read"], { cwd });
    const server = await serving(cwd, { words: ["serve", "--host", "127.0.0.2"] });
    expect(server.link).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
    expect(await server.send("GET", "/v1/tools?limit=1")).toMatchObject({ status: 200 });
  });

  test("with --log json every line of stderr is an object, and none contains a token [P11]", async () => {
    const cwd = await folder({});
    const token = "a-token-of-the-environment";
    const server = await serving(cwd, { words: ["serve", "--log", "json"], env: { WINDLASS_TOKEN: token } });
    const headers = { authorization: `Bearer ${token}`, "request-id": "r-1" };
    expect((await fetch(`${server.url}/v1/tools`, { headers })).status).toBe(200);
    expect((await fetch(`${server.url}/v1/tools?x=${token}`)).status).toBe(401);
    server.child.kill("SIGTERM");
    await server.ended;
    const lines = server
      .stderr()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ method }) => method !== undefined)).toMatchObject([
      { method: "GET", route: "/v1/tools", status: 200, request_id: "r-1", principal: "WINDLASS_TOKEN" },
      { method: "GET", route: "/v1/tools", status: 401 },
    ]);
    expect(server.stderr()).not.toContain(token);
    expect(server.stderr()).not.toContain(server.link.split("=")[1]);
  });

  test("the settings name the public URL and more hosts [P06] [P11]", async () => {
    const settings = 'server: { public_url: "https://tools.example.com/", allow_hosts: [internal.example] }\n';
    const cwd = await folder({ "windlass.yaml": settings });
    const server = await serving(cwd, { words: ["serve", "--port", "0"] }).catch(String);
    // The link begins with the public URL, so the port is in the log.
    expect(server).toMatchObject({ link: expect.stringMatching(/^https:\/\/tools\.example\.com\/#code=/) });
  });

  test("a workspace without trust is not served [P11]", async () => {
    const cwd = await folder({ ...tools, "windlass.yaml": "" });
    const refused = await windlass(["serve", "--port", "0"], { cwd, env: { WINDLASS_TRUST: "0" } });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("not trusted");
    expect(refused.stdout).toBe("");
  });
});

describe.concurrent("windlass dev", () => {
  test("prints a line per call, run, step, approval, reload and problem, without secrets [P11]", async () => {
    const cwd = await folder({
      ...tools,
      "windlass.yaml": "permissions: { ask: [note] }\nsecrets: { KEY: env }\n",
      "chains/sums.yaml": 'name: sums\nsteps:\n  - { id: one, tool: calculator, params: { expression: "1+1" } }\n',
    });
    const server = await serving(cwd, { words: ["dev"], env: { KEY: "hunter2-of-the-tests" } });
    await server.send("POST", "/v1/tools/echo/call", { args: { message: "hi" } });
    await server.send("POST", "/v1/tools/hunter2-of-the-tests/call", {});
    await server.send("POST", "/v1/tools/note/call", {});
    await server.send("POST", "/v1/chains/sums/runs", { run_id: "s1" });
    await endOf(server, "s1");
    await writeFile(join(cwd, "chains/broken.yaml"), "name: [");
    await writeFile(
      join(cwd, "tools/new.yaml"),
      "name: new\ndescription: New.\nentry: { type: custom, module: ./note.ts }\n",
    );
    await vi.waitFor(() => expect(server.stderr()).toMatch(/reload .*added new/), { timeout: 15_000, interval: 100 });
    await vi.waitFor(() => expect(server.stderr()).toMatch(/problem chains\/broken\.yaml:1:\d+/), 15_000);
    await wait(50);
    for (const line of [
      /call echo [\d.]+ m?s, api/,
      /approval note \[approval_required\].*windlass approve/,
      /run sums: run s1, 1 step/,
      /run sums s1 one: success/,
      /run sums s1 success in/,
    ])
      expect(server.stderr()).toMatch(line);
    expect(server.stderr()).not.toContain("hunter2");
    server.child.kill("SIGINT");
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });
});

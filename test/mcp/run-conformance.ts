/**
 * Runs the conformance suite of the protocol: `node test/mcp/run-conformance.ts server|client|program [REVISION…]`. Ends
 * with 1 where something fails that the baseline does not name, or passes although it does. `program` is the built
 * program: its figures are in docs/guide/mcp.md.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Server, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const revisions = ["2025-11-25", "2026-07-28"] as const;
// The package contains a program, not a module.
const suite = fileURLToPath(
  new URL("dist/index.js", import.meta.resolve("@modelcontextprotocol/conformance/package.json")),
);
const baseline = join(import.meta.dirname, "conformance-baseline.yml");

/** Result of a run of the suite. */
export interface SuiteRun {
  readonly revision: string;
  readonly code: number;
  readonly output: string;
}

/** Runs the suite against our server, behind a proxy that adds the token: the suite knows none. */
export async function runServerSuite(requested: readonly string[] = revisions): Promise<SuiteRun[]> {
  const { startFixture } = await import("./fixture-server.ts");
  const fixture = await startFixture();
  const proxy = await tokenProxy(fixture.port, fixture.token);
  try {
    const { port } = proxy.address() as AddressInfo;
    const runs: SuiteRun[] = [];
    for (const revision of requested)
      runs.push(await runSuite("server", revision, ["--url", `http://localhost:${port}/mcp`]));
    return runs;
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    await fixture.close();
  }
}

/**
 * Runs the suite against `windlass mcp serve --http` of the built program, in a workspace with the tools that the suite
 * calls. The suite also tests features that the program does not serve, so no baseline applies.
 */
export async function runProgramSuite(requested: readonly string[] = revisions): Promise<SuiteRun[]> {
  // Beside the original, because its tools import the library by a relative path.
  const workspace = await mkdtemp(join(import.meta.dirname, ".served-"));
  await cp(join(import.meta.dirname, "fixture-workspace"), workspace, { recursive: true });
  await cp(join(import.meta.dirname, "program-workspace"), workspace, { recursive: true });
  const token = "0123456789abcdef0123456789abcdef";
  const bin = join(import.meta.dirname, "../../dist/bin.js");
  const child = spawn(process.execPath, [bin, "mcp", "serve", "--http", "--port", "0", "-C", workspace], {
    env: { ...process.env, WINDLASS_MCP_TOKEN: token, WINDLASS_TRUST: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [printed] = (await once(child.stdout, "data")) as [Buffer];
    const proxy = await tokenProxy(Number(new URL(printed.toString().trim()).port), token);
    const { port } = proxy.address() as AddressInfo;
    const runs: SuiteRun[] = [];
    for (const revision of requested) {
      const words = ["server", "--url", `http://localhost:${port}/mcp`, "--requirements", revision];
      runs.push(await runProgram(revision, words));
    }
    proxy.closeAllConnections();
    proxy.close();
    return runs;
  } finally {
    child.kill();
    await once(child, "close");
    await rm(workspace, { recursive: true, force: true });
  }
}

/** Command by which the suite starts our client. It runs all scenarios at once, which takes time on a busy machine. */
const ourClient = [
  "--command",
  `${process.execPath} ${join(import.meta.dirname, "conformance-client.ts")}`,
  "--timeout",
  "120000",
];

/** Runs the suite against our client. */
export async function runClientSuite(requested: readonly string[] = revisions): Promise<SuiteRun[]> {
  const runs: SuiteRun[] = [];
  for (const revision of requested) runs.push(await runSuite("client", revision, ourClient));
  return runs;
}

/** Runs one scenario of the suite against our client. */
export function runClientScenario(scenario: string, revision: string): Promise<SuiteRun> {
  return runProgram(revision, ["client", ...ourClient, "--scenario", scenario, "--spec-version", revision]);
}

async function runSuite(side: "server" | "client", revision: string, words: readonly string[]): Promise<SuiteRun> {
  return runProgram(revision, [side, ...words, "--requirements", revision, "--expected-failures", baseline]);
}

async function runProgram(revision: string, words: readonly string[]): Promise<SuiteRun> {
  const results = await mkdtemp(join(tmpdir(), "windlass-conformance-"));
  const line = [suite, ...words, "--output-dir", results];
  const child = spawn(process.execPath, line, { cwd: results, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise<number>((resolve) => child.on("close", (ended) => resolve(ended ?? 1)));
  await rm(results, { recursive: true, force: true });
  return { revision, code, output };
}

/** Forwards every request unchanged, with the token added. */
async function tokenProxy(port: number, token: string): Promise<Server> {
  const proxy = createServer((from, answer) => {
    const { method = "GET", url = "/", headers } = from;
    const to = request(
      { host: "127.0.0.1", port, method, path: url, headers: { ...headers, authorization: `Bearer ${token}` } },
      (answered) => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers);
        answer.flushHeaders();
        answered.pipe(answer);
      },
    );
    to.on("error", () => answer.destroy());
    answer.on("close", () => to.destroy());
    from.pipe(to);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "localhost", resolve));
  return proxy;
}

if (import.meta.main) {
  const [side, ...requested] = process.argv.slice(2);
  const suites = { client: runClientSuite, program: runProgramSuite };
  const run = side === "client" || side === "program" ? suites[side] : runServerSuite;
  const runs = await run(requested.length === 0 ? undefined : requested);
  for (const { revision, code, output } of runs)
    console.log(`${output}\n${revision}: ${code === 0 ? "passed" : "failed"}`);
  process.exitCode = runs.some(({ code }) => code !== 0) ? 1 : 0;
}

import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { folderWith } from "../../test/support/workspace.ts";
import { loopbackSite } from "../../test/support/loopback-site.ts";
import { type Workspace, openWorkspace } from "./index.ts";

const opened: Workspace[] = [];
afterEach(async () => {
  for (const workspace of opened.splice(0)) await workspace.close();
});

async function open(env: Readonly<Record<string, string>>, settings = ""): Promise<Workspace> {
  const dir = await folderWith({
    "windlass.yaml": settings,
    "chains/sums.yaml": 'name: sums\nsteps:\n  - { id: one, tool: calculator, params: { expression: "1+1" } }\n',
  });
  const workspace = await openWorkspace(dir, { reload: false, store: "memory", env });
  opened.push(workspace);
  return workspace;
}

interface Posted {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A collector that answers with these statuses in turn, then with 200. */
async function collector(...statuses: readonly number[]) {
  const posted: Posted[] = [];
  const left = [...statuses];
  const site = await loopbackSite((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      posted.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(text) as Posted["body"] });
      response.writeHead(left.shift() ?? 200).end("{}");
    });
  });
  return { posted, site };
}

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
  readonly status: { readonly code: number };
}

/** The spans of all requests. */
function spansIn(posted: readonly Posted[]): SentSpan[] {
  type Body = {
    readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: SentSpan[] }[] }[];
  };
  const resources = posted.flatMap(({ body }) => (body as Body).resourceSpans ?? []);
  return resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

describe("OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  test("sends spans and metrics of calls and runs without any code or setting", async () => {
    const { posted, site } = await collector();
    const workspace = await open({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${site.origin}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b",
      OTEL_SERVICE_NAME: "harbour",
    });
    await workspace.engine.call("echo", { message: "hi" });
    await workspace.engine.call("calculator", { expression: "1/" });
    await workspace.runs.start(await workspace.loadChain("sums"));
    await workspace.close();
    await site.close();
    expect(new Set(posted.map(({ path }) => path))).toEqual(new Set(["/v1/traces", "/v1/metrics"]));
    expect(posted[0]?.headers).toMatchObject({ "content-type": "application/json", "x-key": "a b" });
    expect(JSON.stringify(posted[0]?.body)).toContain('{"key":"service.name","value":{"stringValue":"harbour"}}');
    const spans = spansIn(posted);
    expect(spans.map(({ name }) => name)).toEqual([
      "execute_tool echo",
      "execute_tool calculator",
      "execute_tool calculator",
      "invoke_workflow sums",
    ]);
    const [echo, failed, step, run] = spans;
    expect(step).toMatchObject({ parentSpanId: run?.spanId, traceId: run?.traceId });
    expect(echo?.traceId).toMatch(/^[\da-f]{32}$/);
    expect(failed?.status.code).toBe(2);
    expect(BigInt(run?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(run?.startTimeUnixNano ?? 0));
    const metrics = JSON.stringify(posted.filter(({ path }) => path === "/v1/metrics"));
    expect(metrics).toContain('"name":"gen_ai.execute_tool.duration"');
    expect(metrics).toContain('{"key":"gen_ai.tool.name","value":{"stringValue":"echo"}}');
    expect(metrics).toContain('"name":"windlass.calls.running"');
  });

  test("a batch that the collector could not take is sent once more, and one that it refuses is dropped", async () => {
    const { posted, site } = await collector(503);
    const warnings: string[] = [];
    vi.spyOn(process, "emitWarning").mockImplementation((warning) => void warnings.push(String(warning)));
    const workspace = await open({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${site.origin}/spans` });
    await workspace.engine.call("echo", { message: "hi" });
    await workspace.close();
    expect(posted.map(({ path }) => path)).toEqual(["/spans", "/spans"]);
    expect(spansIn(posted.slice(1))).toMatchObject([{ name: "execute_tool echo" }]);
    expect(warnings).toEqual([expect.stringContaining("HTTP 503")]);
    await site.close();
    vi.restoreAllMocks();
  });

  test("a collector that does not answer neither delays a call nor keeps the workspace open", async () => {
    const site = await loopbackSite(() => {});
    const workspace = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: site.origin });
    for (let count = 0; count < 3_000; count++) await workspace.engine.call("echo", { message: "hi" });
    const closed = workspace.close().then(() => "closed");
    expect(await Promise.race([closed, wait(15_000, "still open")])).toBe("closed");
    await site.close();
  });

  test.each([
    ["OTEL_SDK_DISABLED", "true"],
    ["OTEL_TRACES_EXPORTER", "none"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://127.0.0.1"],
  ])("%s=%s turns it off", async (name, value) => {
    const { posted, site } = await collector();
    const off = { OTEL_METRICS_EXPORTER: "none", OTEL_EXPORTER_OTLP_ENDPOINT: site.origin, [name]: value };
    const workspace = await open(off);
    await workspace.engine.call("echo", { message: "hi" });
    await workspace.close();
    expect(posted).toEqual([]);
    await site.close();
  });
});

import type { Workspace } from "../../app/index.ts";
import { nearestRank } from "../../store/index.ts";
import type { AccessLogEntry } from "./access-log.ts";

/** Number of the latest durations of a tool that count for its percentiles. */
const window = 512;
/** More tools and routes count together: a series never disappears. */
const maxSeries = 2_000;

/** Calls of one tool since the server was created. */
interface ToolCalls {
  success: number;
  failure: number;
  sumMs: number;
  readonly latestMs: number[];
}

/** Responses of one route with one status. */
interface Responses {
  readonly labels: string;
  count: number;
  sumMs: number;
}

/** Counts the requests of a server and the calls of its workspace, for Prometheus. */
export class ServerMetrics {
  readonly #workspace: Workspace;
  readonly #tools = new Map<string, ToolCalls>();
  readonly #responses = new Map<string, Responses>();
  readonly #unsubscribe: () => void;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#unsubscribe = workspace.engine.subscribe(
      (event) => {
        if (event.type === "execution_completed" || event.type === "execution_failed")
          this.#called(event.tool, event.type === "execution_completed", event.durationMs);
      },
      ["execution_completed", "execution_failed"],
    );
  }

  /** Counts a response. Paths that are not routes count together. */
  responded({ method, route, status, durationMs }: AccessLogEntry, isRoute: boolean): void {
    const known = { method: methods.has(method) ? method : "other", route: isRoute ? route : "other" };
    const labels = labelsOf({ ...known, status });
    const series = seriesIn(this.#responses, labels, () => ({ labels, count: 0, sumMs: 0 }));
    series.count++;
    series.sumMs += durationMs;
  }

  close(): void {
    this.#unsubscribe();
  }

  /** All figures in the text format of Prometheus. */
  async text(): Promise<string> {
    return (
      [...this.#requests(), ...this.#calls(), ...this.#slots(), ...(await this.#runs()), ...this.#process()].join(
        "\n",
      ) + "\n"
    );
  }

  #called(tool: string, isSuccess: boolean, durationMs: number): void {
    const calls = seriesIn(this.#tools, tool, () => ({ success: 0, failure: 0, sumMs: 0, latestMs: [] }));
    const at = (calls.success + calls.failure) % window;
    calls.latestMs[at] = durationMs;
    calls[isSuccess ? "success" : "failure"]++;
    calls.sumMs += durationMs;
  }

  #requests(): string[] {
    const all = [...this.#responses.values()];
    return [
      ...family("windlass_http_requests_total", "counter", "Requests by method, route and status."),
      ...all.map(({ labels, count }) => `windlass_http_requests_total${labels} ${count}`),
      ...family("windlass_http_request_duration_seconds", "summary", "Time to answer requests."),
      ...all.flatMap(({ labels, count, sumMs }) => [
        `windlass_http_request_duration_seconds_sum${labels} ${sumMs / 1000}`,
        `windlass_http_request_duration_seconds_count${labels} ${count}`,
      ]),
    ];
  }

  #calls(): string[] {
    const all = [...this.#tools.entries()];
    return [
      ...family("windlass_tool_calls_total", "counter", "Calls of tools by outcome."),
      ...all.flatMap(([tool, { success, failure }]) => [
        sample("windlass_tool_calls_total", { tool, outcome: "success" }, success),
        sample("windlass_tool_calls_total", { tool, outcome: "failure" }, failure),
      ]),
      ...family(
        "windlass_tool_call_duration_seconds",
        "summary",
        `Durations of the latest ${window} calls of each tool.`,
      ),
      ...all.flatMap(([tool, { success, failure, sumMs, latestMs }]) => {
        const sorted = Float64Array.from(latestMs).sort();
        const name = "windlass_tool_call_duration_seconds";
        return [
          sample(name, { tool, quantile: "0.5" }, nearestRank(sorted, 50) / 1000),
          sample(name, { tool, quantile: "0.95" }, nearestRank(sorted, 95) / 1000),
          sample(`${name}_sum`, { tool }, sumMs / 1000),
          sample(`${name}_count`, { tool }, success + failure),
        ];
      }),
    ];
  }

  #slots(): string[] {
    const { currentConcurrent, queueLength, totalRejected, totalTimeout } = this.#workspace.engine.metrics();
    return [
      ...gauge("windlass_calls_running", "Calls that hold a slot now.", currentConcurrent),
      ...gauge("windlass_calls_queued", "Calls that wait for a slot now.", queueLength),
      ...family("windlass_calls_rejected_total", "counter", "Calls that were refused because the queue was full."),
      `windlass_calls_rejected_total ${totalRejected}`,
      ...family("windlass_calls_timed_out_total", "counter", "Calls that waited too long for a slot."),
      `windlass_calls_timed_out_total ${totalTimeout}`,
    ];
  }

  async #runs(): Promise<string[]> {
    const stats = await this.#workspace.store?.stats();
    if (stats === undefined) return [];
    return [
      ...family("windlass_runs", "gauge", "Stored runs by status."),
      ...runStatuses.map((status) => sample("windlass_runs", { status }, stats.runsByStatus[status] ?? 0)),
      ...gauge("windlass_database_bytes", "Size of the database.", stats.bytes),
      ...family("windlass_records_lost_total", "counter", "Records of calls that could not be stored."),
      `windlass_records_lost_total ${stats.lost}`,
    ];
  }

  #process(): string[] {
    const { rss } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      ...gauge("process_resident_memory_bytes", "Resident memory.", rss),
      ...family("process_cpu_seconds_total", "counter", "Processor time."),
      `process_cpu_seconds_total ${(user + system) / 1e6}`,
      ...gauge("process_uptime_seconds", "Time since the process started.", process.uptime()),
    ];
  }
}

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

/** All of them, so that a series does not appear only when its first run does. */
const runStatuses = ["running", "waiting", "success", "failed", "cancelled"];

function family(name: string, type: "counter" | "gauge" | "summary", help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function gauge(name: string, help: string, value: number): string[] {
  return [...family(name, "gauge", help), `${name} ${value}`];
}

function sample(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  return `${name}${labelsOf(labels)} ${value}`;
}

function labelsOf(labels: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escaped(String(value))}"`);
  return `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function seriesIn<T>(map: Map<string, T>, name: string, create: () => T): T {
  const key = map.has(name) || map.size < maxSeries ? name : "other";
  let series = map.get(key);
  if (series === undefined) map.set(key, (series = create()));
  return series;
}

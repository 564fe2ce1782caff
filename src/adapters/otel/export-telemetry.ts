import { ProxyTracerProvider, trace } from "@opentelemetry/api";
import { nodeCrypto, settlesWithin, systemClock } from "../../base/index.ts";
import type { Engine } from "../../engine/index.ts";
import { type OtlpMetric, OtlpMetrics } from "./otlp-metrics.ts";
import { OtlpSender } from "./otlp-sender.ts";
import { type OtlpSpan, OtlpTracerProvider } from "./otlp-spans.ts";
import { toOtlpAttributes } from "./otlp-values.ts";
import { type Tracing, traceEngine } from "./trace-engine.ts";

/** Options of {@link exportTelemetry}. */
export interface ExportOptions {
  /** The environment, with the variables of OpenTelemetry. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly captureContent: boolean;
  /** Called when a collector cannot be reached. Default: a process warning. */
  readonly onError?: (message: string) => void;
}

const defaultMetricsMs = 60_000;
/** A collector that does not answer delays the end of the process by this time. */
const maxCloseMs = 3_000;

/**
 * Traces an engine and counts its calls, and sends both to the collector that the environment names, as OTLP over HTTP with
 * JSON. Undefined if it names none, or if an SDK is registered, which does the same.
 *
 * @see docs/guide/deployment.md
 */
export function exportTelemetry(engine: Engine, options: ExportOptions): Tracing | undefined {
  const { env, captureContent } = options;
  if (env["OTEL_SDK_DISABLED"] === "true" || hasProvider()) return undefined;
  const spanUrl = urlFor("traces", env);
  const metricUrl = urlFor("metrics", env);
  if (spanUrl === undefined && metricUrl === undefined) return undefined;
  const sender = senders(options);
  const provider =
    spanUrl === undefined
      ? undefined
      : new OtlpTracerProvider(sender<OtlpSpan>("traces", spanUrl), (bytes) =>
          nodeCrypto().randomBytes(bytes).toString("hex"),
        );
  const interval = Number(env["OTEL_METRIC_EXPORT_INTERVAL"] ?? defaultMetricsMs);
  const everyMs = interval >= 100 ? interval : defaultMetricsMs;
  const metrics =
    metricUrl === undefined ? undefined : new OtlpMetrics(engine, sender<OtlpMetric>("metrics", metricUrl), everyMs);
  const tracing = provider && traceEngine(engine, { tracerProvider: provider, captureContent });
  let closing: Promise<unknown> | undefined;
  return {
    active: true,
    agents: tracing?.agents,
    chains: tracing?.chains,
    close: async () => {
      closing ??= Promise.all([tracing?.close(), metrics?.close()]);
      await settlesWithin(closing, maxCloseMs, systemClock);
    },
  };
}

/** True if the program has registered an SDK. */
function hasProvider(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer("windlass") !== undefined;
}

type Signal = "traces" | "metrics";

/** The address for a signal, by the rules of OpenTelemetry; undefined if it is not exported. */
function urlFor(signal: Signal, env: ExportOptions["env"]): string | undefined {
  const key = signal.toUpperCase();
  if (env[`OTEL_${key}_EXPORTER`] === "none") return undefined;
  const own = env[`OTEL_EXPORTER_OTLP_${key}_ENDPOINT`]?.trim();
  const base = env["OTEL_EXPORTER_OTLP_ENDPOINT"]?.trim();
  const url = own || (base ? `${base.replace(/\/+$/, "")}/v1/${signal}` : "");
  return /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
}

function senders({ env, version, onError = warn }: ExportOptions) {
  const attributes = {
    ...pairsOf(env["OTEL_RESOURCE_ATTRIBUTES"]),
    "service.name": env["OTEL_SERVICE_NAME"] || "windlass",
  };
  const resource = { attributes: toOtlpAttributes({ ...attributes, "service.version": version }) };
  const scope = { name: "windlass", version };
  return <Item>(signal: Signal, url: string): OtlpSender<Item> =>
    new OtlpSender<Item>({
      url,
      headers: {
        ...pairsOf(env["OTEL_EXPORTER_OTLP_HEADERS"]),
        ...pairsOf(env[`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_HEADERS`]),
      },
      body: (items) =>
        signal === "traces"
          ? { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: items }] }] }
          : { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics: items }] }] },
      onError: (message) => onError(`${signal} could not be sent to ${new URL(url).origin}: ${message}`),
      fetch,
    });
}

/** `a=1,b=2`, with values encoded as in URLs. */
function pairsOf(text = ""): Readonly<Record<string, string>> {
  const pairs = text.split(",").flatMap((pair) => {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return key === undefined || value === undefined ? [] : [[key, decoded(value)] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function warn(message: string): void {
  process.emitWarning(message, { code: "WINDLASS_TELEMETRY" });
}

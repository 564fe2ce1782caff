import {
  type Attributes,
  type Context,
  type Exception,
  type HrTime,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  type SpanStatus,
  type TimeInput,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import type { OtlpSender } from "./otlp-sender.ts";
import { type OtlpAttribute, toOtlpAttributes } from "./otlp-values.ts";

/** A finished span in OTLP. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly events: readonly unknown[];
  readonly links: readonly unknown[];
  readonly status: { readonly code: number; readonly message?: string };
}

/** Creates spans that are sent to a collector when they end. */
export class OtlpTracerProvider implements TracerProvider {
  readonly #sender: OtlpSender<OtlpSpan>;
  readonly #randomHex: (bytes: number) => string;

  constructor(sender: OtlpSender<OtlpSpan>, randomHex: (bytes: number) => string) {
    this.#sender = sender;
    this.#randomHex = randomHex;
  }

  getTracer(): Tracer {
    const startSpan: Tracer["startSpan"] = (name, options = {}, parent) =>
      new OtlpOpenSpan(name, options, this.#contextBelow(parent), (span) => this.#sender.add(span));
    // Nothing here uses active spans.
    const startActiveSpan = (): never => {
      throw new TypeError("this tracer has no active spans");
    };
    return { startSpan, startActiveSpan };
  }

  /** Sends the spans that have ended. */
  forceFlush(): Promise<void> {
    return this.#sender.flush();
  }

  #contextBelow(parent: Context | undefined): { readonly own: SpanContext; readonly parentId: string | undefined } {
    const above = parent === undefined ? undefined : trace.getSpanContext(parent);
    const traceId = above?.traceId ?? this.#randomHex(16);
    return { own: { traceId, spanId: this.#randomHex(8), traceFlags: TraceFlags.SAMPLED }, parentId: above?.spanId };
  }
}

/** The numbers of OTLP begin at 1. */
const kindNumbers: Readonly<Record<SpanKind, number>> = {
  [SpanKind.INTERNAL]: 1,
  [SpanKind.SERVER]: 2,
  [SpanKind.CLIENT]: 3,
  [SpanKind.PRODUCER]: 4,
  [SpanKind.CONSUMER]: 5,
};

/** More events and links of one span are dropped. */
const maxParts = 128;

class OtlpOpenSpan implements Span {
  #name: string;
  readonly #kind: SpanKind;
  readonly #own: SpanContext;
  readonly #parentId: string | undefined;
  readonly #startMs: number;
  readonly #attributes: Attributes;
  readonly #events: unknown[] = [];
  readonly #links: unknown[] = [];
  #status: SpanStatus = { code: 0 };
  #ended: ((span: OtlpSpan) => void) | undefined;

  constructor(
    name: string,
    { kind = SpanKind.INTERNAL, attributes = {}, startTime }: SpanOptions,
    { own, parentId }: { readonly own: SpanContext; readonly parentId: string | undefined },
    ended: (span: OtlpSpan) => void,
  ) {
    this.#name = name;
    this.#kind = kind;
    this.#own = own;
    this.#parentId = parentId;
    this.#startMs = toMs(startTime);
    this.#attributes = { ...attributes };
    this.#ended = ended;
  }

  spanContext(): SpanContext {
    return this.#own;
  }

  setAttribute(key: string, value: Attributes[string]): this {
    this.#attributes[key] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    Object.assign(this.#attributes, attributes);
    return this;
  }

  addEvent(name: string, attributesOrTime?: Attributes | TimeInput, time?: TimeInput): this {
    const isTime =
      typeof attributesOrTime === "number" || Array.isArray(attributesOrTime) || attributesOrTime instanceof Date;
    const attributes = isTime ? {} : (attributesOrTime ?? {});
    const at = isTime ? attributesOrTime : time;
    if (this.#events.length < maxParts)
      this.#events.push({ name, timeUnixNano: toNano(toMs(at)), attributes: toOtlpAttributes(attributes) });
    return this;
  }

  addLink({ context: { traceId, spanId }, attributes = {} }: Link): this {
    if (this.#links.length < maxParts) this.#links.push({ traceId, spanId, attributes: toOtlpAttributes(attributes) });
    return this;
  }

  addLinks(links: Link[]): this {
    for (const link of links) this.addLink(link);
    return this;
  }

  setStatus(status: SpanStatus): this {
    this.#status = status;
    return this;
  }

  updateName(name: string): this {
    this.#name = name;
    return this;
  }

  isRecording(): boolean {
    return this.#ended !== undefined;
  }

  recordException(exception: Exception, time?: TimeInput): void {
    const message = typeof exception === "string" ? exception : (exception.message ?? "");
    this.addEvent("exception", { "exception.message": message }, time);
  }

  end(endTime?: TimeInput): void {
    const ended = this.#ended;
    this.#ended = undefined;
    const { code, message } = this.#status;
    ended?.({
      traceId: this.#own.traceId,
      spanId: this.#own.spanId,
      ...(this.#parentId !== undefined && { parentSpanId: this.#parentId }),
      name: this.#name,
      kind: kindNumbers[this.#kind],
      startTimeUnixNano: toNano(this.#startMs),
      endTimeUnixNano: toNano(Math.max(this.#startMs, toMs(endTime))),
      attributes: toOtlpAttributes(this.#attributes),
      events: this.#events,
      links: this.#links,
      status: { code, ...(message !== undefined && { message }) },
    });
  }
}

/** Epoch milliseconds of a time of the API: milliseconds, a date, or seconds and nanoseconds. Default: now. */
function toMs(time: TimeInput | undefined): number {
  if (time === undefined) return performance.timeOrigin + performance.now();
  if (typeof time === "number") return time;
  if (time instanceof Date) return time.getTime();
  const [seconds, nanos]: HrTime = time;
  return seconds * 1000 + nanos / 1e6;
}

/** Epoch nanoseconds as text: they exceed the exact integers. */
export function toNano(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)));
}

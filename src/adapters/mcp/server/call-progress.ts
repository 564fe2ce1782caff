import { type Clock, type Timer, orElse } from "../../../base/index.ts";

/** Progress of a call, as the protocol represents it. */
export interface ProgressNotification {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Options of {@link CallProgress}. */
export interface CallProgressDeps {
  readonly send: (progress: ProgressNotification) => void;
  readonly clock: Clock;
  /** Redacts secrets in messages. */
  readonly redact: (text: string) => string;
}

/** Minimum interval: a client shows progress to a user. */
const intervalMs = 25;
const maxMessageLength = 500;

/**
 * Sends progress of a call to a client: increasing, as the protocol requires, and throttled. Only the newest update
 * within an interval is sent.
 */
export class CallProgress {
  readonly #parts: CallProgressDeps;
  #last: number | undefined;
  #waiting: Reported | undefined;
  #timer: Timer | undefined;
  #sentAt = -Infinity;

  constructor(parts: CallProgressDeps) {
    this.#parts = parts;
  }

  /** Accepts any value that a handler reports: a number, a string, `{ progress, total, message }`, or other JSON. */
  report(value: unknown): void {
    this.#waiting = read(value);
    const { clock } = this.#parts;
    const wait = this.#sentAt + intervalMs - clock.elapsed();
    if (wait <= 0) this.flush();
    else this.#timer ??= clock.after(wait, () => this.flush());
  }

  /** Sends the pending update at once. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    this.#sentAt = this.#parts.clock.elapsed();
    const { message, total } = waiting;
    const text = message === undefined ? undefined : cut(this.#parts.redact(message));
    const progress = this.#next(waiting);
    this.#parts.send({
      progress,
      ...(total !== undefined && { total: Math.max(total, progress) }),
      ...(text !== undefined && { message: text }),
    });
  }

  #next({ progress, total }: Reported): number {
    const last = this.#last;
    const step = total === undefined ? 1 : total / 1000;
    // An update without a higher number counts as a small step.
    this.#last = last === undefined ? (progress ?? 0) : Math.max(progress ?? 0, plainSum(last, step));
    return this.#last;
  }
}

/** Adds without floating-point noise: 2.006, not 2.0060000000000002. */
function plainSum(number: number, step: number): number {
  const sum = Number((number + step).toPrecision(12));
  return sum > number ? sum : number + step;
}

interface Reported {
  readonly progress: number | undefined;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

function read(value: unknown): Reported {
  if (typeof value === "string") return { progress: undefined, total: undefined, message: value };
  if (isAmount(value)) return { progress: value, total: undefined, message: undefined };
  if (typeof value === "object" && value !== null && "progress" in value && isAmount(value.progress)) {
    const total = "total" in value && isAmount(value.total) && value.total > 0 ? value.total : undefined;
    const message = "message" in value && typeof value.message === "string" ? value.message : undefined;
    return { progress: value.progress, total, message };
  }
  return { progress: undefined, total: undefined, message: jsonOf(value) };
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function jsonOf(value: unknown): string {
  return orElse(() => JSON.stringify(value) ?? "", "");
}

function cut(text: string): string {
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength).toWellFormed()}…` : text;
}

import type { Clock, Timer } from "../../../base/index.ts";

/** How far a call is, in the words of the protocol. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What {@link CallProgress} needs. */
export interface CallProgressParts {
  readonly send: (progress: Progress) => void;
  readonly clock: Clock;
  /** Takes secrets out of messages. */
  readonly redact: (text: string) => string;
}

/** At most so often: a client shows it to a person. */
const everyMs = 25;
const longestMessage = 500;

/**
 * Tells a client how far a call is: ever higher, as the protocol wants it, and not too often. Of what comes in between
 * only the newest is told.
 */
export class CallProgress {
  readonly #parts: CallProgressParts;
  #last: number | undefined;
  #waiting: Reported | undefined;
  #timer: Timer | undefined;
  #sentAt = -Infinity;

  constructor(parts: CallProgressParts) {
    this.#parts = parts;
  }

  /** Takes whatever a handler reports: a number, a text, `{ progress, total, message }`, or any other JSON. */
  report(value: unknown): void {
    this.#waiting = read(value);
    const { clock } = this.#parts;
    const wait = this.#sentAt + everyMs - clock.elapsed();
    if (wait <= 0) this.flush();
    else this.#timer ??= clock.after(wait, () => this.flush());
  }

  /** Tells at once what is still to be told. */
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
    // News without a higher number is a small step ahead.
    this.#last = last === undefined ? (progress ?? 0) : Math.max(progress ?? 0, plainSum(last, step));
    return this.#last;
  }
}

/** Higher than the first, and without the digits that only adding makes: 2.006, not 2.0060000000000002. */
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
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

function cut(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage).toWellFormed()}…` : text;
}

import { type Clock, type FailureError, fail, systemClock } from "../base/index.ts";
import type { Explained } from "./explain-error.ts";
import type { Model } from "./model.ts";

/** How long and how often a model is asked. */
export interface AskLimits {
  readonly signal?: AbortSignal;
  /** Time for everything, the pauses between attempts included; 300 s. */
  readonly timeoutMs?: number;
  /** Further attempts when a server is busy or broken; 2. */
  readonly maxRetries?: number;
  /** Who is to be waited for longer than this has failed; as long as the time allows where absent. */
  readonly mostWaitMs?: number;
  /** Told of a pause before a model is asked again. */
  readonly onWait?: ((ms: number, why: FailureError) => void) | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Time for a question where its asker says nothing. */
export const usualTimeoutMs = 300_000;
const firstPauseMs = 500;
const longestPauseMs = 20_000;

/** A question that failed for good; `explained` is for those who can ask in another way. */
export class Unanswered extends Error {
  readonly explained: Explained;

  constructor(explained: Explained) {
    super(explained.failure.message);
    this.explained = explained;
  }
}

/** One attempt: what it gave, or why it failed. The signal ends it. */
export type Attempt<T> = (signal: AbortSignal) => Promise<T | Explained>;

/**
 * Asks once, and again while the server is busy or broken and the time allows it, never sooner than the server says.
 * Throws {@link Unanswered}, or the failure of a cancellation or a deadline.
 */
export async function askAgain<T extends object>(who: string, limits: AskLimits, attempt: Attempt<T>): Promise<T> {
  const { clock = systemClock, random = Math.random, maxRetries = 2, mostWaitMs = Infinity } = limits;
  const { timeoutMs = usualTimeoutMs } = limits;
  const until = clock.elapsed() + timeoutMs;
  const run = startRun(limits, clock, who);
  try {
    for (let retries = 0; ; retries++) {
      const answer = await run.wait(attempt(run.signal));
      if (!isExplained(answer)) return answer;
      const pauseMs = pauseAfter(answer, retries, random);
      const isWorthIt = pauseMs <= mostWaitMs && clock.elapsed() + pauseMs < until;
      if (!answer.passing || retries >= maxRetries || !isWorthIt) throw new Unanswered(answer);
      tellWait(limits, pauseMs, answer);
      await run.wait(pause(clock, pauseMs, run.signal));
    }
  } finally {
    run.end();
  }
}

function tellWait({ onWait }: AskLimits, ms: number, { failure }: Explained): void {
  onWait?.(ms, failure);
}

function isExplained(answer: object): answer is Explained {
  return "failure" in answer && "passing" in answer;
}

/** The model's name, as people know it. */
export function nameOf({ modelId }: Pick<Model, "modelId">): string {
  return `the model ${JSON.stringify(modelId)}`;
}

/** Doubles each time, half of it random, and is never shorter than what the server asks for. */
function pauseAfter({ waitMs = 0 }: Explained, attempt: number, random: () => number): number {
  const base = Math.min(firstPauseMs * 2 ** attempt, longestPauseMs);
  return Math.max(base * (0.5 + random() / 2), waitMs);
}

interface Run {
  readonly signal: AbortSignal;
  /** The value, or the reason for which the run was aborted: a model may ignore its signal. */
  wait<T>(work: Promise<T>): Promise<T>;
  end(): void;
}

function startRun({ signal, timeoutMs = usualTimeoutMs }: AskLimits, clock: Clock, who: string): Run {
  const controller = new AbortController();
  let leave: (why: unknown) => void = () => {};
  const stop = (why: FailureError): void => {
    controller.abort(why);
    leave(why);
  };
  const cancel = (): void =>
    stop(fail("the question to the model was cancelled", { code: "cancelled", cause: signal?.reason }));
  const timer = clock.after(timeoutMs, () =>
    stop(
      fail(
        `${who} did not answer within ${Math.ceil(timeoutMs) / 1000} s; ask for less, or raise its timeout (under models: in windlass.yaml)`,
        {
          code: "timeout",
        },
      ),
    ),
  );
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted === true) cancel();
  return {
    signal: controller.signal,
    wait: (work) =>
      new Promise((resolve, reject) => {
        leave = reject;
        work.then(resolve, reject);
        if (controller.signal.aborted) reject(controller.signal.reason as Error);
      }),
    end: () => {
      timer.cancel();
      signal?.removeEventListener("abort", cancel);
    },
  };
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    signal.addEventListener("abort", () => timer.cancel(), { once: true });
  });
}

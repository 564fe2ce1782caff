import { formatPath } from "../../base/index.ts";
import { createRedactor } from "../../text/index.ts";
import type { StepWork } from "../host/host.ts";
import { type LogRedactor, logValue } from "../log/log-value.ts";
import { skipSentence } from "../log/skip-sentence.ts";
import type { Plan } from "../plan/plan.ts";
import { checkInput } from "../run-chain.ts";
import { interpret } from "../run/interpret.ts";
import type { RunFacts } from "../run/run-facts.ts";
import type { Cassette, RecordedCall } from "./cassette.ts";
import { contrast, firstDifference } from "./first-difference.ts";
import { ReplayHost } from "./replay-host.ts";
import { stepOfKey } from "../run/step-of-key.ts";
import type { StepState } from "../run/step-state.ts";

/** Where a replayed run first departs from the recorded one. */
export interface ReplayDifference {
  /**
   * - `input`: a call got other arguments;
   * - `missing_call`: a recorded call was not made;
   * - `extra_call`: a call or a question was made that was not recorded;
   * - `status`, `output`: the calls were the same, but not what came of the run.
   */
  readonly kind: "input" | "missing_call" | "extra_call" | "output" | "status";
  /** The path of the step; empty for the run as a whole. */
  readonly step: string;
  /** Where in the arguments or the output: `items[0].url`. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
  /** A sentence, and below it what was recorded and what there is now. */
  readonly message: string;
}

/** What came of a replay. */
export interface Replay {
  readonly same: boolean;
  readonly difference?: ReplayDifference;
  /** The run as it went now. */
  readonly run: RunFacts;
}

/** How a chain is replayed. */
export interface ReplayOptions {
  /** The recorded one where absent. */
  readonly input?: unknown;
  /** The environment variables that the chain reads; the recorded ones where absent. */
  readonly env?: Readonly<Record<string, string>>;
  /** The one with which the cassette was made. */
  readonly redactor?: LogRedactor;
}

/**
 * Runs a chain offline against a recorded run: every call is answered as it was, nothing waits, and questions get the
 * answers they got. Shows the first difference. Throws when the chain does not take the recorded input.
 *
 * @example
 * ```ts
 * const { same, difference } = await replay(plan, cassette);
 * if (!same) console.log(difference?.message);
 * ```
 */
export async function replay(plan: Plan, cassette: Cassette, options: ReplayOptions = {}): Promise<Replay> {
  const { env = cassette.env, redactor = createRedactor([]) } = options;
  const input = checkInput(plan, options.input ?? cassette.input);
  const comparison = new Comparison(cassette, redactor);
  const host = new ReplayHost({
    runId: cassette.runId,
    startedAt: cassette.startedAt,
    settled: cassette.settled,
    onStart: (key, work) => comparison.called(key, work),
    onUnanswered: (key) => comparison.asked(key),
  });
  const run = await interpret({ plan, host, input, env, context: cassette.context, listener: undefined });
  const difference = comparison.firstOf(run);
  return { same: difference === undefined, ...(difference && { difference }), run };
}

interface Found {
  /** Among the recorded calls; what comes between two has a place between them. */
  readonly place: number;
  readonly difference: ReplayDifference;
}

/** Compares a run with a recording while it goes on. */
class Comparison {
  readonly #cassette: Cassette;
  readonly #redactor: LogRedactor;
  readonly #places: ReadonlyMap<string, number>;
  readonly #made = new Set<string>();
  #found: Found | undefined;
  #reached = -1;

  constructor(cassette: Cassette, redactor: LogRedactor) {
    this.#cassette = cassette;
    this.#redactor = redactor;
    this.#places = new Map(cassette.calls.map(({ key }, place) => [key, place]));
  }

  called(key: string, work: StepWork): void {
    const place = this.#places.get(key);
    const recorded = place === undefined ? undefined : this.#cassette.calls[place];
    const now = { tool: work.tool, args: logValue(work.args, this.#redactor) };
    if (place === undefined || recorded === undefined) return this.#note(this.#reached + 0.5, extraCall(key, now));
    this.#made.add(key);
    this.#reached = Math.max(this.#reached, place);
    const difference = compareCalls(recorded, now);
    if (difference !== undefined) this.#note(place, difference);
  }

  asked(key: string): void {
    const step = stepOfKey(key);
    const message = `${step} asks a person for an approval; the recording has no answer to that.`;
    this.#note(this.#reached + 0.5, { kind: "extra_call", step, path: "", expected: undefined, actual: key, message });
  }

  firstOf(run: RunFacts): ReplayDifference | undefined {
    const place = this.#cassette.calls.findIndex(({ key }) => !this.#made.has(key));
    const missing = this.#cassette.calls[place];
    if (missing !== undefined) this.#note(place, missingCall(missing, this.#whyNot(missing.step, run)));
    return this.#found?.difference ?? this.#compareEnds(run);
  }

  /** Why a step called nothing, as far as that is known. */
  #whyNot(path: string, { steps }: RunFacts): string {
    const state = findState(steps, path);
    if (state?.skip !== undefined) return `no call: ${skipSentence(state.skip)}`;
    const error = state?.error;
    return error === undefined ? "no call" : `no call: ${this.#redactor.text(error.message)}`;
  }

  #note(place: number, difference: ReplayDifference): void {
    if (this.#found === undefined || place < this.#found.place) this.#found = { place, difference };
  }

  #compareEnds(run: RunFacts): ReplayDifference | undefined {
    const { status, output } = this.#cassette;
    if (status !== run.status) {
      const why = run.error && ` (${run.error.code}: ${this.#redactor.text(run.error.message)})`;
      const message = withDiff("The run ended otherwise", [status, `${run.status}${why ?? ""}`]);
      return { kind: "status", step: "", path: "", expected: status, actual: run.status, message };
    }
    const found = firstDifference(output ?? null, run.output ?? null);
    if (found === undefined) return undefined;
    const path = formatPath(found.path);
    const [expected, actual] = [found.expected, found.actual].map((value) => logValue(value, this.#redactor));
    const sentence = `The output of the run is another${path === "" ? "" : ` at ${path}`}`;
    return {
      kind: "output",
      step: "",
      path,
      expected,
      actual,
      message: withDiff(sentence, contrast(expected, actual)),
    };
  }
}

interface CallNow {
  readonly tool: string;
  readonly args: unknown;
}

function compareCalls(recorded: RecordedCall, now: CallNow): ReplayDifference | undefined {
  const { step } = recorded;
  if (recorded.tool !== now.tool) {
    const message = withDiff(`${step} calls another tool`, [recorded.tool, now.tool]);
    return { kind: "input", step, path: "", expected: recorded.tool, actual: now.tool, message };
  }
  const found = firstDifference(recorded.args, now.args);
  if (found === undefined) return undefined;
  const { expected, actual } = found;
  const path = formatPath(found.path);
  const sentence = `${step} (${now.tool}) got another input${path === "" ? "" : ` at ${path}`}`;
  return { kind: "input", step, path, expected, actual, message: withDiff(sentence, contrast(expected, actual)) };
}

function extraCall(key: string, now: CallNow): ReplayDifference {
  const step = stepOfKey(key);
  const message = withDiff(`${step} made a call of ${now.tool} that was not recorded`, [
    "no call",
    contrast(now.args, 0)[0],
  ]);
  return { kind: "extra_call", step, path: "", expected: undefined, actual: now.args, message };
}

function missingCall({ step, tool, args }: RecordedCall, now: string): ReplayDifference {
  const message = withDiff(`${step} did not make the recorded call of ${tool}`, [contrast(args, 0)[0], now]);
  return { kind: "missing_call", step, path: "", expected: args, actual: undefined, message };
}

/** The last state of a step of this path: one that was called again has been there before. */
function findState(states: readonly StepState[], path: string): StepState | undefined {
  for (const state of states.toReversed()) {
    if (state.path === path) return state;
    const below = state.children === undefined ? undefined : findState(state.children, path);
    if (below !== undefined) return below;
  }
  return undefined;
}

function withDiff(sentence: string, [recorded, now]: readonly [string, string]): string {
  return `${sentence}:\n  - recorded: ${recorded}\n  + now:      ${now}`;
}

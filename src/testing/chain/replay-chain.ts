import { formatPath, jsonText } from "../../base/index.ts";
import { createRedactor } from "../../secrets/index.ts";
import type { CallWork } from "../../run/index.ts";
import {
  type LogRedactor,
  logValue,
  skipSentence,
  type Plan,
  parseRunInput,
  interpret,
  type RunFacts,
  stepPathOfKey,
  type StepState,
} from "../../chain/index.ts";
import type { RunCassette, RecordedCall } from "./run-cassette.ts";
import { ReplayHost } from "./replay-host.ts";

/** The first difference between a replayed run and the recorded one. */
export interface ReplayDifference {
  /**
   * - `input`: a call got different arguments;
   * - `missing_call`: a recorded call was not made;
   * - `extra_call`: a call or an approval request was made that was not recorded;
   * - `status`, `output`: the calls were the same, but the outcome of the run was not.
   */
  readonly kind: "input" | "missing_call" | "extra_call" | "output" | "status";
  /** The path of the step; empty for the run as a whole. */
  readonly step: string;
  /** Path within the arguments or the output: `items[0].url`. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
  /** A sentence, followed by the recorded and the current value. */
  readonly message: string;
}

/** Outcome of a replay. */
export interface ReplayResult {
  readonly same: boolean;
  readonly difference?: ReplayDifference;
  /** The current run. */
  readonly run: RunFacts;
}

/** Options of a chain replay. */
export interface ReplayChainOptions {
  /** Default: the recorded input. */
  readonly input?: unknown;
  /** The environment variables that the chain reads. Default: the recorded ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** The redactor with which the cassette was made. */
  readonly redactor?: LogRedactor;
}

/**
 * Runs a chain offline against a recorded run: every call gets its recorded result, nothing waits, and approvals get
 * the recorded decisions. Returns the first difference. Throws if the chain does not accept the recorded input.
 *
 * @example
 * ```ts
 * const { same, difference } = await replayChain(plan, cassette);
 * if (!same) console.log(difference?.message);
 * ```
 *
 * @see docs/guide/chains.md
 */
export async function replayChain(
  plan: Plan,
  cassette: RunCassette,
  options: ReplayChainOptions = {},
): Promise<ReplayResult> {
  const { env = cassette.env, redactor = createRedactor([]) } = options;
  const input = parseRunInput(plan, options.input ?? cassette.input);
  const comparison = new Comparison(cassette, redactor);
  const host = new ReplayHost({
    runId: cassette.runId,
    startedAt: cassette.startedAt,
    settled: cassette.settled,
    onStart: (key, work) => comparison.called(key, work),
    onUnanswered: (key) => comparison.onApproval(key),
  });
  const run = await interpret({ plan, host, input, env, context: cassette.context, listener: undefined });
  const difference = comparison.firstOf(run);
  return { same: difference === undefined, ...(difference && { difference }), run };
}

interface ReplayMatch {
  /** Index among the recorded calls; a difference between two calls has a position between them. */
  readonly position: number;
  readonly difference: ReplayDifference;
}

/** Compares a run with a recording while it runs. */
class Comparison {
  readonly #cassette: RunCassette;
  readonly #redactor: LogRedactor;
  readonly #positions: ReadonlyMap<string, number>;
  readonly #made = new Set<string>();
  #found: ReplayMatch | undefined;
  #reached = -1;

  constructor(cassette: RunCassette, redactor: LogRedactor) {
    this.#cassette = cassette;
    this.#redactor = redactor;
    this.#positions = new Map(cassette.calls.map(({ key }, position) => [key, position]));
  }

  called(key: string, work: CallWork): void {
    const position = this.#positions.get(key);
    const recorded = position === undefined ? undefined : this.#cassette.calls[position];
    const now = { tool: work.tool, args: logValue(work.args, this.#redactor) };
    if (position === undefined || recorded === undefined) return this.#note(this.#reached + 0.5, extraCall(key, now));
    this.#made.add(key);
    this.#reached = Math.max(this.#reached, position);
    const difference = compareCalls(recorded, now);
    if (difference !== undefined) this.#note(position, difference);
  }

  onApproval(key: string): void {
    const step = stepPathOfKey(key);
    const message = `${step} requests an approval; the recording has no decision for it.`;
    this.#note(this.#reached + 0.5, { kind: "extra_call", step, path: "", expected: undefined, actual: key, message });
  }

  firstOf(run: RunFacts): ReplayDifference | undefined {
    const position = this.#cassette.calls.findIndex(({ key }) => !this.#made.has(key));
    const missing = this.#cassette.calls[position];
    if (missing !== undefined) this.#note(position, missingCall(missing, this.#whyNot(missing.step, run)));
    return this.#found?.difference ?? this.#compareEnds(run);
  }

  /** The reason why a step made no call, if known. */
  #whyNot(path: string, { steps }: RunFacts): string {
    const state = findState(steps, path);
    if (state?.skip !== undefined) return `no call: ${skipSentence(state.skip)}`;
    const error = state?.error;
    return error === undefined ? "no call" : `no call: ${this.#redactor.text(error.message)}`;
  }

  #note(position: number, difference: ReplayDifference): void {
    if (this.#found === undefined || position < this.#found.position) this.#found = { position, difference };
  }

  #compareEnds(run: RunFacts): ReplayDifference | undefined {
    const { status, output } = this.#cassette;
    if (status !== run.status) {
      const why = run.error && ` (${run.error.code}: ${this.#redactor.text(run.error.message)})`;
      const message = withDiff("The run ended differently", [status, `${run.status}${why ?? ""}`]);
      return { kind: "status", step: "", path: "", expected: status, actual: run.status, message };
    }
    const found = firstValueDifference(output ?? null, run.output ?? null);
    if (found === undefined) return undefined;
    const path = formatPath(found.path);
    const [expected, actual] = [found.expected, found.actual].map((value) => logValue(value, this.#redactor));
    const sentence = `The output of the run differs${path === "" ? "" : ` at ${path}`}`;
    return {
      kind: "output",
      step: "",
      path,
      expected,
      actual,
      message: withDiff(sentence, formatDifference(expected, actual)),
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
    const message = withDiff(`${step} calls a different tool`, [recorded.tool, now.tool]);
    return { kind: "input", step, path: "", expected: recorded.tool, actual: now.tool, message };
  }
  const found = firstValueDifference(recorded.args, now.args);
  if (found === undefined) return undefined;
  const { expected, actual } = found;
  const path = formatPath(found.path);
  const sentence = `${step} (${now.tool}) got different input${path === "" ? "" : ` at ${path}`}`;
  return {
    kind: "input",
    step,
    path,
    expected,
    actual,
    message: withDiff(sentence, formatDifference(expected, actual)),
  };
}

function extraCall(key: string, now: CallNow): ReplayDifference {
  const step = stepPathOfKey(key);
  const message = withDiff(`${step} made a call of ${now.tool} that was not recorded`, [
    "no call",
    formatDifference(now.args, 0)[0],
  ]);
  return { kind: "extra_call", step, path: "", expected: undefined, actual: now.args, message };
}

function missingCall({ step, tool, args }: RecordedCall, now: string): ReplayDifference {
  const message = withDiff(`${step} did not make the recorded call of ${tool}`, [formatDifference(args, 0)[0], now]);
  return { kind: "missing_call", step, path: "", expected: args, actual: undefined, message };
}

/** The last state of a step with this path: a retried step has earlier states. */
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

/** The first difference between two values. */
interface ValueDifference {
  readonly path: readonly (string | number)[];
  /** Undefined if there is nothing at that path. */
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Values nested deeper are compared as text. */
const maxDepth = 200;

/** The first difference of two JSON values, in the order of the first one; undefined if they are equal. */
function firstValueDifference(
  expected: unknown,
  actual: unknown,
  path: readonly (string | number)[] = [],
): ValueDifference | undefined {
  if (expected === actual) return undefined;
  const differ = { path, expected, actual };
  if (!isContainer(expected) || !isContainer(actual) || Array.isArray(expected) !== Array.isArray(actual))
    return differ;
  if (path.length >= maxDepth) return jsonOf(expected) === jsonOf(actual) ? undefined : differ;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const step = Array.isArray(expected) ? Number(key) : key;
    const found = firstValueDifference(ownValueAt(expected, key), ownValueAt(actual, key), [...path, step]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Both sides of a difference on one line each, cut around the first difference. */
function formatDifference(expected: unknown, actual: unknown): readonly [string, string] {
  const [one, two] = [jsonOf(expected), jsonOf(actual)];
  let same = 0;
  while (same < one.length && one[same] === two[same]) same++;
  const from = same > 40 ? same - 20 : 0;
  return [excerpt(one, from), excerpt(two, from)];
}

function excerpt(text: string, from: number): string {
  const end = from + 100;
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${text.length > end ? "…" : ""}`.toWellFormed();
}

function jsonOf(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = jsonText(value);
  return "text" in json ? json.text : `a value that cannot be shown: ${json.problem}`;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Also of lists. */
function ownValueAt(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

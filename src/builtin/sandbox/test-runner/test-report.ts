import { stripUnsafe } from "../../../text/index.ts";

/** One test that failed. */
export interface TestFailure {
  readonly name: string;
  readonly message: string;
}

/** What a run of tests gave. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly total: number;
  readonly failures: readonly TestFailure[];
  /** Percent of the lines of the code that ran. */
  readonly coverage?: { readonly lines: number };
  /** What the tests printed. */
  readonly output: string;
  /** The output or the list of failures was cut. */
  readonly truncated: boolean;
}

/** What a driver inside the sandbox tells, one JSON object a line. */
export type TestEvent =
  | {
      readonly kind: "test";
      readonly status: "passed" | "failed" | "skipped";
      readonly name: string;
      readonly message?: string;
    }
  | { readonly kind: "output"; readonly text: string }
  | { readonly kind: "coverage"; readonly lines: number }
  | { readonly kind: "end" };

const mostFailures = 50;
const longestMessage = 2_000;
const longestOutput = 16_000;

/** The lines of a driver, as far as they are complete. Tests cannot be trusted to keep from printing there, too. */
export function readEvents(text: string): TestEvent[] {
  return text.split("\n").flatMap((line) => {
    try {
      const event: unknown = JSON.parse(line);
      return isEvent(event) ? [event] : [];
    } catch {
      return [];
    }
  });
}

function isEvent(value: unknown): value is TestEvent {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  const event: Readonly<Record<string, unknown>> = { ...value };
  if (!["string", "undefined"].includes(typeof event["message"])) return false;
  switch (event["kind"]) {
    case "test":
      return ["passed", "failed", "skipped"].includes(String(event["status"])) && typeof event["name"] === "string";
    case "output":
      return typeof event["text"] === "string";
    case "coverage":
      return typeof event["lines"] === "number" && Number.isFinite(event["lines"]);
    default:
      return event["kind"] === "end";
  }
}

/** What remains to be said about a run, besides its events. */
export interface RunFacts {
  /** Printed outside of any test. */
  readonly printed: string;
  /** Why it did not come to its end, told as one more failed test. */
  readonly broken: string | undefined;
}

/** Sums up what happened. */
export function testReport(events: readonly TestEvent[], { printed, broken }: RunFacts): TestReport {
  const tests = events.filter((event) => event.kind === "test");
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  const failures = tests
    .filter(({ status }) => status === "failed")
    .map(({ name, message }) => ({ name: clean(name, 300), message: clean(ownFrames(message ?? ""), longestMessage) }));
  if (broken !== undefined) failures.push({ name: "(run)", message: clean(broken, longestMessage) });
  const failed = count("failed") + (broken === undefined ? 0 : 1);
  const coverage = events.findLast((event) => event.kind === "coverage");
  const text = stripUnsafe(events.map((event) => (event.kind === "output" ? event.text : "")).join("") + printed);
  return {
    passed: count("passed"),
    failed,
    skipped: count("skipped"),
    total: count("passed") + count("skipped") + failed,
    // The last one says why the run broke off.
    failures:
      failures.length > mostFailures ? [...failures.slice(0, mostFailures - 1), ...failures.slice(-1)] : failures,
    ...(coverage !== undefined && { coverage: { lines: Math.round(coverage.lines * 100) / 100 } }),
    output: shorten(tests.length === 0 && broken === undefined ? `No tests were found.\n${text}` : text),
    truncated: failures.length > mostFailures || text.length > longestOutput,
  };
}

/** Without the frames of Node itself, which say nothing about the code. */
function ownFrames(message: string): string {
  return message.replace(/\n\s+at [^\n]*\(?node:[^\n]*/g, "");
}

function clean(text: string, longest: number): string {
  const safe = stripUnsafe(text).trim();
  return safe.length > longest ? `${safe.slice(0, longest).toWellFormed()}…` : safe;
}

/** The beginning and the end: causes come first, summaries last. */
function shorten(text: string): string {
  if (text.length <= longestOutput) return text;
  const half = longestOutput / 2;
  return `${text.slice(0, half).toWellFormed()}\n…\n${text.slice(-half).toWellFormed()}`;
}

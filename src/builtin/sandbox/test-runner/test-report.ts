import { cutText, stripUnsafe } from "../../../text/index.ts";
import { advise } from "./advise.ts";
import type { CoveredFile, TestEvent } from "./read-events.ts";
import type { TestLanguage } from "./test-project.ts";

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

/** How it went with one file of tests. */
export interface FileRun {
  readonly path: string;
  readonly events: readonly TestEvent[];
  /** What it printed. */
  readonly printed: string;
  /** Why it did not end as tests end, told as one more failed test of the file's name. */
  readonly broken: string | undefined;
}

const mostFailures = 50;
const longestMessage = 2_000;
const longestOutput = 16_000;

/** What all runs have in common. */
export interface Whole {
  readonly language: TestLanguage;
  /** Why the whole proves nothing, told as one more failure. */
  readonly unfounded: string | undefined;
}

/** Sums up what happened. A failure that shows that tests were written for another runner begins with what to change. */
export function testReport(runs: readonly FileRun[], { language, unfounded }: Whole): TestReport {
  const tests = runs.flatMap(({ events }) => events.filter((event) => event.kind === "test"));
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  const told = [
    ...runs.flatMap(failuresOf),
    ...(unfounded === undefined ? [] : [{ name: "(run)", message: unfounded }]),
  ];
  const failures = told.map((failure) => readable(failure, language));
  const output = stripUnsafe(runs.map(({ printed }) => printed).join(""));
  return {
    passed: count("passed"),
    failed: failures.length,
    skipped: count("skipped"),
    total: count("passed") + count("skipped") + failures.length,
    // The last one says why the run broke off.
    failures:
      failures.length > mostFailures ? [...failures.slice(0, mostFailures - 1), ...failures.slice(-1)] : failures,
    ...coverageOf(runs),
    output: shorten(output),
    truncated: failures.length > mostFailures || output.length > longestOutput,
  };
}

function failuresOf({ path, events, broken }: FileRun): TestFailure[] {
  const failed = events.filter((event) => event.kind === "test").filter(({ status }) => status === "failed");
  return [
    ...failed.map(({ name, message = "" }) => ({ name, message })),
    ...(broken === undefined ? [] : [{ name: path, message: broken }]),
  ];
}

function readable({ name, message }: TestFailure, language: TestLanguage): TestFailure {
  const advice = advise(message, language);
  const told = advice === undefined ? message : `${advice}\n${message}`;
  return { name: clean(name, 300), message: clean(ownFrames(told), longestMessage) };
}

/** A line that one file of tests missed may have run in another. */
function coverageOf(runs: readonly FileRun[]): Pick<TestReport, "coverage"> {
  const files = new Map<string, CoveredFile>();
  const told = runs.flatMap(({ events }) => events.filter((event) => event.kind === "coverage"));
  for (const file of told.flatMap((event) => event.files)) {
    const missed = new Set(files.get(file.path)?.missed ?? file.missed);
    files.set(file.path, { ...file, missed: file.missed.filter((line) => missed.has(line)) });
  }
  if (told.length === 0) return {};
  const sum = (of: (file: CoveredFile) => number): number =>
    files.values().reduce((total, file) => total + of(file), 0);
  const lines = sum((file) => file.lines);
  const ran = lines - sum((file) => file.missed.length);
  return { coverage: { lines: lines === 0 ? 100 : Math.round((ran / lines) * 10_000) / 100 } };
}

/** Without the frames of Node itself, and where it threw, which say nothing about the code. */
function ownFrames(message: string): string {
  return message.replace(/\n\s+at [^\n]*\(?node:[^\n]*/g, "").replace(/\bnode:[\w/:]+\n[^\n]*\n\s*\^\n+/, "");
}

function clean(text: string, longest: number): string {
  return cutText(stripUnsafe(text).trim(), longest, { at: "word" }).text;
}

/** The beginning and the end: causes come first, summaries last. */
function shorten(text: string): string {
  if (text.length <= longestOutput) return text;
  const half = longestOutput / 2;
  return `${text.slice(0, half).toWellFormed()}\n…\n${text.slice(-half).toWellFormed()}`;
}

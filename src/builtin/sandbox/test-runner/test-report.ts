import { cutText, stripUnsafe } from "../../../text/index.ts";
import type { CoveredFile, TestEvent } from "./read-events.ts";
import type { TestLanguage } from "./test-project.ts";

/** One test that failed. */
interface TestFailure {
  readonly name: string;
  readonly message: string;
}

/** Result of a test run. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly total: number;
  readonly failures: readonly TestFailure[];
  /** Percentage of the code lines that ran. */
  readonly coverage?: { readonly lines: number };
  /** Output of the tests. */
  readonly output: string;
  /** True if the output or the list of failures was truncated. */
  readonly truncated: boolean;
}

/** Result of one test file. */
export interface FileRun {
  readonly path: string;
  readonly events: readonly TestEvent[];
  /** Its output. */
  readonly printed: string;
  /** Why it did not end normally, reported as one more failed test with the name of the file. */
  readonly broken: string | undefined;
}

const maxFailures = 50;
const maxMessageLength = 2_000;
const maxOutputLength = 16_000;

/**
 * Summarizes the runs. A failure of tests written for another runner begins with advice. `unfounded` says why the whole
 * run proves nothing; it is one more failure.
 */
export function testReport(runs: readonly FileRun[], language: TestLanguage, unfounded?: string): TestReport {
  const tests = runs.flatMap(({ events }) => events.filter((event) => event.kind === "test"));
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  const messages = [
    ...runs.flatMap(failuresOf),
    ...(unfounded === undefined ? [] : [{ name: "(run)", message: unfounded }]),
  ];
  const failures = messages.map((failure) => readable(failure, language));
  const output = stripUnsafe(runs.map(({ printed }) => printed).join(""));
  return {
    passed: count("passed"),
    failed: failures.length,
    skipped: count("skipped"),
    total: count("passed") + count("skipped") + failures.length,
    // The last one explains why the run was interrupted.
    failures: failures.length > maxFailures ? [...failures.slice(0, maxFailures - 1), ...failures.slice(-1)] : failures,
    ...coverageOf(runs),
    output: shorten(output),
    truncated: failures.length > maxFailures || output.length > maxOutputLength,
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
  // The tests may be written for another runner, or need something that is missing here.
  const advice = lacks[language === "python" ? "python" : "node"].find(([pattern]) => pattern.test(message))?.[1];
  const messages = advice === undefined ? message : `${advice}\n${message}`;
  return { name: clean(name, 300), message: clean(userFrames(messages), maxMessageLength) };
}

/** Merges coverage: a line that one test file missed may have run in another. */
function coverageOf(runs: readonly FileRun[]): Pick<TestReport, "coverage"> {
  const files = new Map<string, CoveredFile>();
  const messages = runs.flatMap(({ events }) => events.filter((event) => event.kind === "coverage"));
  for (const file of messages.flatMap((event) => event.files)) {
    const missed = new Set(files.get(file.path)?.missed ?? file.missed);
    files.set(file.path, { ...file, missed: file.missed.filter((line) => missed.has(line)) });
  }
  if (messages.length === 0) return {};
  const sum = (of: (file: CoveredFile) => number): number =>
    files.values().reduce((total, file) => total + of(file), 0);
  const lines = sum((file) => file.lines);
  const ran = lines - sum((file) => file.missed.length);
  return { coverage: { lines: lines === 0 ? 100 : Math.round((ran / lines) * 10_000) / 100 } };
}

/** Removes stack frames of Node itself, which are not useful for the code. */
function userFrames(message: string): string {
  return message.replace(/\n\s+at [^\n]*\(?node:[^\n]*/g, "").replace(/\bnode:[\w/:]+\n[^\n]*\n\s*\^\n+/, "");
}

function clean(text: string, maxLength: number): string {
  return cutText(stripUnsafe(text).trim(), maxLength, { at: "word" }).text;
}

/** Truncates in the middle: causes come first, summaries last. */
function shorten(text: string): string {
  if (text.length <= maxOutputLength) return text;
  const half = maxOutputLength / 2;
  return `${text.slice(0, half).toWellFormed()}\n…\n${text.slice(-half).toWellFormed()}`;
}

/** Returns how tests are written here, for a request without tests. */
export function testGuide(language: TestLanguage): string {
  return language === "python"
    ? "write functions named test_…, or test cases of unittest"
    : 'write them with test() of "node:test"';
}

const noPackages = "Only the standard library of the language is installed here.";
const noPytest = `pytest is not installed here; ${testGuide("python")}, with assert`;
const importAdvice = 'There are no global test functions here: import test, describe, it and hooks from "node:test"';

/** Features of other test runners that are missing here, by their error messages. The first match applies. */
const lacks: Readonly<Record<"python" | "node", readonly (readonly [RegExp, string])[]>> = {
  python: [
    [/No module named '_?pytest\b/, `${noPytest}.`],
    [/\btest\w*\(\) missing \d+ required positional arguments?:/, `${noPytest} and without parameters.`],
    [/ModuleNotFoundError: No module named /, noPackages],
  ],
  node: [
    [/ReferenceError: (?:expect|assert|jest|vi) is not defined/, `${importAdvice}, and assert from "node:assert".`],
    [
      /ReferenceError: (?:describe|it|test|suite|before|after|beforeEach|afterEach|beforeAll|afterAll) is not defined/,
      `${importAdvice}.`,
    ],
    [
      /Cannot find (?:package|module) '(?:@jest\/globals|jest|vitest|mocha|chai|ava|tape|jasmine|bun:test)\b/,
      `${importAdvice}, and assert from "node:assert". ${noPackages}`,
    ],
    [/Cannot find package '|Cannot find module '[^./]/, noPackages],
  ],
};

import { sandboxFolder } from "../bubblewrap-arguments.ts";
import { type Driver, type DriverOptions, maxMessageChars } from "./driver.ts";
import type { TestProject } from "./test-project.ts";

/**
 * Maximum wait after the last test. Errors of work that no test awaited occur in this time; a server or a timer that
 * was not closed would run indefinitely.
 */
const maxLateMs = 2_000;

/**
 * Runs inside the sandbox, in the process of the tests: emits Node's test events. It works once, for Node, which loads
 * it before the first line of the code under test, and uses functions that were captured before that line: names
 * imported from Node can be replaced. The mark is never in a buffer that other code can get a part of.
 *
 * Node ends its report when the event loop is empty, so that it sees late errors. If something keeps the loop alive,
 * this makes Node end the report once the file is loaded, all its tests are reported, and some time has passed.
 *
 * A file without tests ends without a report of Node, so this emits the end. Only the first process has a mark to read;
 * threads and processes of the tests load this too.
 */
const reporter = `
import fs from "node:fs";
import { isMainThread } from "node:worker_threads";

const { stringify } = JSON;
const { readFileSync, writeSync } = fs;
const { wait } = Atomics;
const { setTimeout, clearTimeout } = globalThis;
const encode = TextEncoder.prototype.encode.bind(new TextEncoder());
const exit = process.exit.bind(process);
const noMoreToDo = process.emit.bind(process, "beforeExit", 0);
const pause = new Int32Array(new SharedArrayBuffer(4));
const mark = isMainThread && process.ppid === 1 ? readFileSync(0, "utf8") : "";

let isOpen = mark !== "";
let begin;
let lateMs;
let isEmpty = true;
let isLeft = false;
let open = 0;
let waiting;
let notes = "";
export const begun = isOpen ? new Promise((resolve) => { begin = resolve; }) : undefined;

export function loaded(ms) {
  lateMs ??= ms;
  watch();
}

function watch() {
  clearTimeout(waiting);
  if (lateMs === undefined || isEmpty || open > 0) return;
  waiting = setTimeout(() => {
    isLeft = true;
    noMoreToDo();
  }, lateMs);
  waiting.unref();
}

function emit(event) {
  const bytes = encode(mark + event + "\\n");
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      wait(pause, 0, 0, 5);
    }
  }
}

function messageOf(error) {
  try {
    const { cause } = error;
    return String(cause?.stack ?? cause?.message ?? cause ?? error.message);
  } catch {
    return "(what was thrown cannot be shown)";
  }
}

const quote = (value) => stringify(String(value).slice(0, ${maxMessageChars}));

function test(status, name, message = "") {
  emit('{"kind":"test","status":"' + status + '","name":' + quote(name) + ',"message":' + quote(message) + "}");
}

function coverage({ files }) {
  let reported = "";
  for (const { path, totalLineCount, lines } of files) {
    let missed = "";
    for (const { line, count } of lines) if (count === 0) missed += (missed && ",") + line;
    reported += (reported && ",") + '{"path":' + quote(path) + ',"lines":' + totalLineCount + ',"missed":[' + missed + "]}";
  }
  emit('{"kind":"coverage","files":[' + reported + "]}");
}

function take(type, data) {
  if (type === "test:enqueue") {
    isEmpty = false;
    open++;
  } else if (type === "test:coverage") coverage(data.summary);
  else if (type === "test:diagnostic" && data.message.startsWith("Error: ")) notes += (notes && "\\n") + data.message;
  else if (type === "test:pass" || type === "test:fail") {
    const { name, details } = data;
    const isSuite = details?.type === "suite";
    if (data.skip !== undefined || (data.todo !== undefined && !isSuite)) test("skipped", name);
    else if (type === "test:pass") isSuite || test("passed", name);
    else if (details.error?.failureType !== "subtestsFailed") test("failed", name, messageOf(details.error));
    open--;
  }
  watch();
}

const end = () => emit('{"kind":"end","note":' + quote(notes) + "}");

export default async function* (source) {
  if (!isOpen) return;
  isOpen = false;
  begin();
  for await (const { type, data } of source) take(type, data);
  end();
  if (isLeft) exit();
}

if (isOpen) {
  process.once("beforeExit", () => {
    if (!isEmpty) return;
    end();
    exit();
  });
}
`;

/**
 * Runs inside the sandbox, before the tests: makes Node load and call the reporter, and notifies it when the test file
 * is loaded, which may take long if it awaits something.
 */
const preparation = (lateMs: number): string => `
import { before } from "node:test";
import { pathToFileURL } from "node:url";
import { begun, loaded } from "./reporter.mjs";
if (begun) {
  before(() => {});
  await begun;
  // By then Node itself has begun to load it.
  const emit = () => loaded(${lateMs});
  setImmediate(() => import(pathToFileURL(process.argv[1])).then(emit, emit));
}
`;

/** Runs inside the sandbox: resolves \`./main\` and \`./main.js\` to a main.ts, as bundlers do. */
const resolver = `
import { registerHooks } from "node:module";
const endings = [".ts", ".js", ".mjs", ".cjs", ".mts", ".cts", ".json", "/index.ts", "/index.js"];
registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!/^\\.{1,2}\\//.test(specifier)) throw error;
      const bare = specifier.replace(/\\.([cm]?)js$/, "");
      for (const base of new Set([specifier, bare])) {
        for (const ending of endings) {
          try {
            return next(base + ending, context);
          } catch {}
        }
      }
      throw error;
    }
  },
});
`;

/** Driver for tests in JavaScript and TypeScript, with the test runner of Node. */
export function nodeDriver(
  { tests, files }: TestProject,
  { path, coverage, timeMs, memoryBytes }: DriverOptions,
): Driver {
  const heap = Math.floor((memoryBytes / 1_048_576) * 0.6);
  // A test that never settles is named; one that never yields ends with the sandbox.
  const testTimeout = Math.max(1000, Math.floor(timeMs * 0.8));
  const lateMs = Math.min(maxLateMs, Math.floor(timeMs * 0.1));
  const measured = coverage
    ? [
        "--experimental-test-coverage",
        `--test-coverage-exclude=${sandboxFolder}/**`,
        ...tests.map((path) => `--test-coverage-exclude=${path}`),
        ...(tests.length === files.length ? [] : ["--test-coverage-exclude=**/*.{test,spec}.*"]),
      ]
    : [];
  return {
    command: [
      "node",
      "--no-warnings",
      "--experimental-transform-types",
      `--import=${sandboxFolder}/preparation.mjs`,
      `--import=${sandboxFolder}/resolver.mjs`,
      `--test-timeout=${testTimeout}`,
      `--test-reporter=${sandboxFolder}/reporter.mjs`,
      "--test-reporter-destination=stdout",
      ...measured,
      "--",
      path,
    ],
    ownFiles: [
      { path: "reporter.mjs", content: reporter },
      { path: "preparation.mjs", content: preparation(lateMs) },
      { path: "resolver.mjs", content: resolver },
    ],
    // With this setting, Node does not skip tests because others are marked with `only`.
    env: { NODE_OPTIONS: `--max-old-space-size=${heap}`, FORCE_COLOR: "0", NODE_TEST_CONTEXT: "windlass" },
  };
}

/**
 * Runs the checks of `npm test` (quick) and `npm run test:full` and prints one line each. It continues after a failure,
 * so that one run shows every failure, and prints the ten slowest test files.
 */
import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";

const report = join(tmpdir(), `windlass-tests-${process.pid}.json`);
const vitest = `vitest run --reporter=default --reporter=json --outputFile.json=${report}`;

type Command = readonly [name: string, command: string];

/** Runs first: the package checks, the examples, the docs and the CLI tests use the built package. */
const build: Command = ["build", "node scripts/build.ts"];

/**
 * A command that needs the packed package as $tarball. Packing must run no scripts: `prepack` would remove `dist` while
 * tests use it.
 */
function packed(command: string): string {
  const pack = 'dir=$(mktemp -d); tarball="$dir/$(npm pack --ignore-scripts --silent --pack-destination "$dir")"';
  return `${pack}; ${command}; status=$?; rm -r "$dir"; exit $status`;
}

/** Two lists that run in parallel, for two cores. */
const quick: readonly (readonly Command[])[] = [
  [["tests", `${vitest} --exclude '**/*.slow.test.ts'`]],
  [
    ["format", "oxfmt --check ."],
    ["lint", "oxlint --deny-warnings"],
    ["types", "tsc -p . && tsc -p tsconfig.build.json --noEmit"],
    ["unused", "knip"],
    ["package", "publint --strict --pack false"],
    ["exports", packed('attw "$tarball" --profile esm-only --quiet')],
    ["docs", "node scripts/generate-docs.ts --check"],
    ["rows", "node scripts/rows.ts"],
    ["words", "node scripts/words.ts"],
  ],
];
const full: readonly (readonly Command[])[] = [[["tests", `${vitest} .slow.test.ts`]]];

interface Step {
  readonly name: string;
  readonly ok: boolean;
  readonly output: string;
  readonly seconds: number;
}

interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function run([name, command]: Command): Promise<Step> {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("close", (code) => {
      const step = { name, ok: code === 0, output, seconds: (performance.now() - started) / 1000 };
      const mark = step.ok ? styleText("green", "ok  ") : styleText("red", "FAIL");
      console.log(`${mark} ${name.padEnd(8)} ${step.seconds.toFixed(1)} s`);
      resolve(step);
    });
  });
}

async function runAll(commands: readonly Command[]): Promise<Step[]> {
  const done: Step[] = [];
  for (const command of commands) done.push(await rerunCrashed(await run(command)));
  return done;
}

/**
 * Reruns test files whose process crashed inside V8, and prints their names. Starting and ending many threads can
 * trigger "Check failed: jit_page.has_value()", and threads that load TypeScript instead of built files can use freed
 * WebAssembly of Node (`NativeModule::FreeCode`, SIGSEGV). A test that fails is not retried.
 */
async function rerunCrashed(step: Step): Promise<Step> {
  const output = stripVTControlCharacters(step.output);
  const files = [...output.matchAll(/unexpectedly with signal SIG(?:TRAP|SEGV) .*while running test file (\S+)/g)];
  const isOnlyThat = / Errors {2}(\d+) error/.exec(output)?.[1] === String(files.length) && !/ FAIL {2}/.test(output);
  if (step.ok || files.length === 0 || !isOnlyThat) return step;
  const names = files.map(([, file = ""]) => relative(".", file));
  console.log(`     V8 crashed in ${names.join(", ")}; running them once more`);
  return run([step.name, `vitest run ${names.join(" ")}`]);
}

/** Describes the failed tests, a few lines each. */
function failuresOf({ testResults }: TestReport): string[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(".", name);
    const failed = assertionResults.filter(({ status }) => status === "failed");
    if (failed.length === 0) return message === "" ? [] : [`${file}: ${message.slice(0, 300)}`];
    return failed.map(({ fullName, failureMessages: [why = ""] }) => `${file}: ${fullName}\n  ${why.slice(0, 600)}`);
  });
}

function slowestOf({ testResults }: TestReport): string[] {
  const times = testResults.map(({ name, startTime, endTime }) => [(endTime - startTime) / 1000, name] as const);
  const slowest = times.toSorted(([a], [b]) => b - a).slice(0, 10);
  return slowest.map(([seconds, name]) => `${seconds.toFixed(1).padStart(7)} s  ${relative(".", name)}`);
}

const isFull = process.argv.includes("--full");
const started = performance.now();
const built = await run(build);
const lists = isFull ? full : quick;
const steps = [built, ...(built.ok ? (await Promise.all(lists.map(runAll))).flat() : [])];
const failed = steps.filter(({ ok }) => !ok);
const tests = await readFile(report, "utf8").then(
  (text) => JSON.parse(text) as TestReport,
  (): TestReport => ({ numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] }),
);
await rm(report, { force: true });
console.log(`\nslowest test files\n${slowestOf(tests).join("\n")}`);
// The summary comes first and the full output last, because long logs are often truncated.
for (const failure of failuresOf(tests)) console.log(stripVTControlCharacters(`\n${failure}`));
for (const { name, output } of failed)
  console.log(`\n${styleText("bold", `--- ${name}`)}\n${stripVTControlCharacters(output).trim().slice(-8000)}`);
const minutes = ((performance.now() - started) / 60_000).toFixed(1);
const verdict = failed.length === 0 ? "all checks passed" : `failed: ${failed.map(({ name }) => name).join(", ")}`;
console.log(`\n${verdict} in ${minutes} minutes`);
console.log(`${tests.numPassedTests} passed, ${tests.numFailedTests} failed, ${tests.numPendingTests} skipped`);
process.exitCode = failed.length === 0 ? 0 : 1;

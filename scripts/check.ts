/** Everything CI checks, one line each; stops at nothing, so that one run tells all. */
import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";

const report = join(tmpdir(), `windlass-tests-${process.pid}.json`);

type Command = readonly [name: string, command: string];

/** First of all: the package checks, the examples and the docs use what is built. */
const first: Command = ["build", "node scripts/build.ts"];

/** Then two lanes side by side, for two cores. */
const lanes: readonly (readonly Command[])[] = [
  [["tests", `vitest run --reporter=default --reporter=json --outputFile.json=${report}`]],
  [
    ["format", "oxfmt --check ."],
    ["lint", "oxlint --deny-warnings"],
    ["types", "tsc -p . && tsc -p tsconfig.build.json --noEmit"],
    ["unused", "knip"],
    ["package", "publint --strict"],
    ["exports", "attw --pack . --profile esm-only --quiet"],
    ["docs", "node scripts/generate-docs.ts --check"],
    ["rows", "node scripts/rows.ts"],
  ],
];

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

async function runLane(commands: readonly Command[]): Promise<Step[]> {
  const done: Step[] = [];
  for (const command of commands) done.push(await runAgain(await run(command)));
  return done;
}

/**
 * Test files whose process was taken down by a fault of V8 itself are run once more, and named: threads that begin and
 * end in great numbers can run into "Check failed: jit_page.has_value()", and threads that load TypeScript, which built
 * files are not, into WebAssembly of Node's own that is freed already (`NativeModule::FreeCode`, SIGSEGV). A test that
 * fails is not run again here.
 */
async function runAgain(step: Step): Promise<Step> {
  const output = stripVTControlCharacters(step.output);
  const files = [...output.matchAll(/unexpectedly with signal SIG(?:TRAP|SEGV) .*while running test file (\S+)/g)];
  const isOnlyThat = / Errors {2}(\d+) error/.exec(output)?.[1] === String(files.length) && !/ FAIL {2}/.test(output);
  if (step.ok || files.length === 0 || !isOnlyThat) return step;
  const names = files.map(([, file = ""]) => relative(".", file));
  console.log(`     V8 took down ${names.join(", ")}; once more`);
  return run([step.name, `vitest run ${names.join(" ")}`]);
}

/** The tests that failed, in few words. */
function failuresOf({ testResults }: TestReport): string[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(".", name);
    const broken = assertionResults.filter(({ status }) => status === "failed");
    if (broken.length === 0) return message === "" ? [] : [`${file}: ${message.slice(0, 300)}`];
    return broken.map(({ fullName, failureMessages: [why = ""] }) => `${file}: ${fullName}\n  ${why.slice(0, 600)}`);
  });
}

const built = await run(first);
const steps = [built, ...(built.ok ? (await Promise.all(lanes.map(runLane))).flat() : [])];
const failed = steps.filter(({ ok }) => !ok);
const tests = await readFile(report, "utf8").then(
  (text) => JSON.parse(text) as TestReport,
  (): TestReport => ({ numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] }),
);
await rm(report, { force: true });
// In few words first, at length below: a long log is often cut.
for (const failure of failuresOf(tests)) console.log(stripVTControlCharacters(`\n${failure}`));
for (const { name, output } of failed)
  console.log(`\n${styleText("bold", `--- ${name}`)}\n${stripVTControlCharacters(output).trim().slice(-8000)}`);
console.log(`\n${failed.length === 0 ? "all checks passed" : `failed: ${failed.map(({ name }) => name).join(", ")}`}`);
console.log(`${tests.numPassedTests} passed, ${tests.numFailedTests} failed, ${tests.numPendingTests} skipped`);
process.exitCode = failed.length === 0 ? 0 : 1;

import { type Clock, nodeCrypto, systemClock } from "../../../base/index.ts";
import type { SandboxResult } from "../confined-process.ts";
import { type SandboxOptions, runSandboxed } from "../run-sandboxed.ts";
import { defaultSandboxLimits } from "../sandbox-limits.ts";
import { sandboxFailure } from "../sandbox-reasons.ts";
import { testGuide, type FileRun, type TestReport, testReport } from "./test-report.ts";
import type { MakeDriver } from "./driver.ts";
import { nodeDriver } from "./node-driver.ts";
import { pythonDriver } from "./python-driver.ts";
import { type TestEvent, readEvents } from "./read-events.ts";
import { type TestProject, type TestRequest, isTestName, testProject } from "./test-project.ts";

/** Options for running tests. */
export interface RunTestsOptions extends Pick<SandboxOptions, "signal" | "programs"> {
  readonly coverage?: boolean;
  readonly timeMs?: number;
  readonly clock?: Clock;
}

/** A report, and how the run went. */
export interface TestRun extends TestReport {
  readonly durationMs: number;
  /** The limit at which the run was killed. */
  readonly ended?: NonNullable<SandboxResult["ended"]>;
}

/**
 * Runs tests, each file in its own sandbox. Tests that fail, hang or crash are reported results, not a failure of the
 * run. Only tests that were seen to begin and to end well count as passed: a process that exits early or with an error
 * code, a file without tests and printed text that imitates a report make the run fail.
 */
export async function runTests(request: TestRequest, options: RunTestsOptions = {}): Promise<TestRun> {
  const { timeMs = defaultSandboxLimits.timeMs, clock = systemClock } = options;
  const project = testProject(request);
  const startedAt = clock.elapsed();
  const runs: (FileRun & Pick<TestRun, "ended">)[] = [];
  for (const path of project.tests) {
    const leftMs = timeMs - (clock.elapsed() - startedAt);
    const run = leftMs > 0 ? await runFile(project, path, { ...options, timeMs, leftMs }) : notRun(path);
    runs.push(
      mustHoldTests(run, project)
        ? { ...run, broken: `there are no tests in it; ${testGuide(project.language)}` }
        : run,
    );
  }
  const ended = runs.find((run) => run.ended !== undefined)?.ended;
  const isFounded = runs.some(({ events, broken }) => broken ?? events.some(isTest));
  return {
    ...testReport(runs, project.language, isFounded ? undefined : none(project)),
    durationMs: clock.elapsed() - startedAt,
    ...(ended !== undefined && { ended }),
  };
}

/** Exit code of a launcher that does not find its program. */
const notThere = 127;

interface FileOptions extends RunTestsOptions {
  readonly timeMs: number;
  /** Remaining time. */
  readonly leftMs: number;
}

async function runFile(
  project: TestProject,
  path: string,
  options: FileOptions,
): Promise<FileRun & Pick<TestRun, "ended">> {
  const { coverage = false, leftMs, signal, clock = systemClock } = options;
  const { memoryBytes } = defaultSandboxLimits;
  const drive: MakeDriver = project.language === "python" ? pythonDriver : nodeDriver;
  const { command, ownFiles, env } = drive(project, { path, coverage, timeMs: leftMs, memoryBytes });
  const mark = nodeCrypto().randomBytes(18).toString("base64");
  const result = await runSandboxed(command, {
    files: project.files,
    readOnlyFiles: ownFiles,
    env,
    input: mark,
    limits: { timeMs: leftMs, cpuSeconds: Math.ceil(leftMs / 1000) + 1 },
    signal,
    clock,
    ...(options.programs !== undefined && { programs: options.programs }),
  });
  if (result.code === notThere && result.stdout === "") {
    throw sandboxFailure("no_program", `${command[0]} is not installed; install it to run such tests`);
  }
  const { events, printed } = readEvents(result.stdout, mark);
  const { ended, stderr } = result;
  const broken = brokenBy(result, events, options.timeMs);
  return { path, events, printed: printed + stderr, broken, ...(ended !== undefined && { ended }) };
}

/** Returns why the events of a driver are incomplete. */
function brokenBy(
  { ended, code, stderr }: SandboxResult,
  events: readonly TestEvent[],
  timeMs: number,
): string | undefined {
  switch (ended) {
    case "time":
      return `the tests did not finish within ${timeMs / 1000} s and were ended; check for an endless loop or wait`;
    case "memory":
      return "the tests exceeded the memory limit and were ended";
    case "output":
      return "the tests exceeded the output limit and were ended";
    default: {
      const end = events.find((event) => event.kind === "end");
      const printed = stderr.trim() === "" ? "" : `: ${stderr.trim().slice(-1500)}`;
      if (end === undefined) return `${endedBy(code, printed)} (exit code ${code})${printed}`;
      // An error after the end of its test belongs to none of the failed tests.
      if (end.note !== undefined && end.note !== "") return `something failed that no test awaited: ${end.note}`;
      if (code === 0 || events.some((event) => isTest(event) && event.status === "failed")) return undefined;
      return `no test failed, and yet the process ended with exit code ${code}${printed}`;
    }
  }
}

/** Describes an early end: the output and exit code of the process if it has any; otherwise it was made to end. */
function endedBy(code: number, printed: string): string {
  const reports = printed !== "" && code > 0 && code < 128;
  return reports ? "the process of the tests broke off" : "the tests ended the process before they were done";
}

function isTest(event: TestEvent): event is TestEvent & { readonly kind: "test" } {
  return event.kind === "test";
}

function notRun(path: string): FileRun {
  return { path, events: [], printed: "", broken: "it was not run: the time for all tests was used up before" };
}

/**
 * True if the file must contain tests: helper files need none, but a single file, or one that is named like a test,
 * does.
 */
function mustHoldTests({ path, events, broken }: FileRun, { tests }: TestProject): boolean {
  return broken === undefined && !events.some(isTest) && (isTestName(path) || tests.length === 1);
}

function none(project: TestProject): string {
  return `no tests were found in ${project.tests.slice(0, 20).join(", ")}; ${testGuide(project.language)}`;
}

import { type Clock, systemClock } from "../../../base/index.ts";
import { type SandboxOptions, runSandboxed } from "../run-sandboxed.ts";
import type { SandboxResult } from "../confined.ts";
import { defaultLimits } from "../sandbox-limits.ts";
import { refuseSandbox } from "../sandbox-reasons.ts";
import { nodeDriver } from "./node-driver.ts";
import { pythonDriver } from "./python-driver.ts";
import { type TestRequest, testProject } from "./test-project.ts";
import { type TestReport, readEvents, testReport } from "./test-report.ts";

/** How to run tests. */
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

/** Runs tests in the sandbox. Tests that fail, hang or crash are what it reports, not a failure of the run. */
export async function runTests(request: TestRequest, options: RunTestsOptions = {}): Promise<TestRun> {
  const { coverage = false, timeMs = defaultLimits.timeMs, signal, clock = systemClock } = options;
  const project = testProject(request);
  const { memoryBytes } = defaultLimits;
  const drive = project.language === "python" ? pythonDriver : nodeDriver;
  const { command, ownFiles, env } = drive(project, { coverage, timeMs, memoryBytes });
  const result = await runSandboxed(command, {
    files: project.files,
    ownFiles,
    env,
    limits: { timeMs, cpuSeconds: Math.ceil(timeMs / 1000) + 1 },
    signal,
    clock,
    ...(options.programs !== undefined && { programs: options.programs }),
  });
  if (result.code === notThere && result.stdout === "") {
    throw refuseSandbox("no_program", `${command[0]} is not installed; install it to run such tests`);
  }
  const events = readEvents(result.stdout);
  const complete = events.some(({ kind }) => kind === "end");
  const report = testReport(events, {
    printed: result.stderr,
    broken: complete ? undefined : brokenBy(result, timeMs),
  });
  const { durationMs, ended } = result;
  return { ...report, durationMs, ...(ended !== undefined && { ended }) };
}

/** The code of a launcher that does not find its program. */
const notThere = 127;

function brokenBy({ ended, code, stderr }: SandboxResult, timeMs: number): string {
  switch (ended) {
    case "time":
      return `the tests did not finish within ${timeMs / 1000} s and were ended; look for a loop or a wait without end`;
    case "memory":
      return "the tests used more memory than they may and were ended";
    case "output":
      return "the tests printed more than they may and were ended";
    default:
      return `the run broke off with exit code ${code}: ${stderr.slice(-1500)}`;
  }
}

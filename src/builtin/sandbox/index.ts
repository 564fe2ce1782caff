export type { SandboxResult } from "./confined-process.ts";
export { type SandboxOptions, runSandboxed } from "./run-sandboxed.ts";
export { type SandboxLimits } from "./sandbox-limits.ts";
export { type SandboxPrograms, findPrograms } from "./sandbox-programs.ts";
export { type SandboxStatus, sandboxStatus } from "./sandbox-status.ts";
export { testRunnerTool } from "./test-runner-tool.ts";
export { type RunTestsOptions, type TestRun, runTests } from "./test-runner/run-tests.ts";
export type { TestRequest } from "./test-runner/test-project.ts";
export type { TestReport } from "./test-runner/test-report.ts";

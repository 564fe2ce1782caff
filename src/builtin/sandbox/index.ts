export type * from "./confined-process.ts";
export * from "./run-sandboxed.ts";
export * from "./sandbox-limits.ts";
export * from "./sandbox-programs.ts";
export * from "./test-runner-tool.ts";
export * from "./test-runner/run-tests.ts";
export type * from "./test-runner/test-project.ts";
export type * from "./test-runner/test-report.ts";

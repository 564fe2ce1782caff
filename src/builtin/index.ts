/**
 * The built-in tools, and the services behind them.
 *
 * Belongs here: one file per tool, and the services that only built-in tools need. See "Add a tool" in CONTRIBUTING.md.
 *
 * Must stay true: a tool takes the world from `BuiltinServices` (HTTP client, file access, clock, model), never from a
 * global. Each tool is in `builtin-registry.ts`, which `npm run docs` writes, and is created when it is first resolved.
 * A tool that is not configured fails with what to set. Hostile input costs a bounded amount of time and memory; heavy
 * parsing runs in a worker thread.
 *
 * Test: `npm run vitest -- run src/builtin test/builtin-registry.test.ts`
 */

export * from "./builtin-chains.ts";
export * from "./builtin-tools.ts";
export * from "./services.ts";
export * from "./calculator/calculate.ts";
export * from "./calculator/fault.ts";
export * from "./calculator-tool.ts";
export * from "./echo-tool.ts";
export * from "./http-request-tool.ts";
export * from "./sandbox/run-sandboxed.ts";
export * from "./search/search.ts";
export * from "./search/search-settings.ts";
export * from "./time/file-timer-store.ts";
export * from "./vault/vault.ts";
export * from "./writing/prompt-sender.ts";
export * from "./web/web-table.ts";
export * from "./writing/folder-prompts.ts";

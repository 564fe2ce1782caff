import { type Clock, definedOnly } from "../../base/index.ts";
import type { JsonOutput } from "../../schema/index.ts";
import { type InputFor, type ToolFor, defineTool } from "../../tool/index.ts";
import { type SandboxPrograms, missingPrograms } from "./sandbox-programs.ts";

/** Time to set up and remove the sandbox. */
const aroundMs = 10_000;

const input = {
  type: "object",
  properties: {
    code: {
      anyOf: [
        { type: "string", minLength: 1 },
        {
          type: "object",
          properties: {
            language: { type: "string" },
            files: {
              type: "array",
              items: {
                type: "object",
                properties: { path: { type: "string", minLength: 1 }, content: { type: "string" } },
                required: ["path", "content"],
              },
              minItems: 1,
            },
            tests: {
              type: "array",
              items: {
                type: "object",
                properties: { path: { type: "string", minLength: 1 }, content: { type: "string" } },
                required: ["path", "content"],
              },
            },
          },
          required: ["files"],
        },
      ],
      description:
        "The code: text, or { language, files: [{ path, content }], tests: [{ path, content }] } as returned by code_generator. Text becomes main.js, main.ts or main.py, by which tests import it.",
    },
    tests: {
      anyOf: [
        { type: "string", minLength: 1 },
        {
          type: "array",
          items: {
            type: "object",
            properties: { path: { type: "string", minLength: 1 }, content: { type: "string" } },
            required: ["path", "content"],
          },
        },
      ],
      description:
        "The tests: text or files. JavaScript and TypeScript with node:test and node:assert; Python with unittest, plain test_ functions, or pytest if it is installed. Default: the tests in code.",
    },
    language: {
      type: "string",
      description: "javascript, typescript or python. Default: from code or its file names, else javascript.",
    },
    coverage: { type: "boolean", default: false, description: "Also measure how many lines of the code ran." },
    timeout: {
      type: "number",
      minimum: 1,
      maximum: 300,
      default: 60,
      description: "Seconds for all tests.",
    },
  },
  required: ["code"],
  additionalProperties: false,
  examples: [
    {
      code: "export const add = (a, b) => a + b;",
      tests:
        'import test from "node:test";\nimport assert from "node:assert";\nimport { add } from "./main.js";\ntest("adds", () => assert.equal(add(2, 3), 5));',
      coverage: true,
    },
  ],
} as const;

/** Input of `test_runner`. */
export type TestRunnerInput = InputFor<typeof input>;

const output = {
  type: "object",
  properties: {
    passed: { type: "integer" },
    failed: { type: "integer" },
    skipped: { type: "integer" },
    total: { type: "integer" },
    failures: {
      type: "array",
      items: {
        type: "object",
        properties: { name: { type: "string" }, message: { type: "string" } },
        required: ["name", "message"],
      },
    },
    coverage: { type: "object", properties: { lines: { type: "number" } }, required: ["lines"] },
    output: { type: "string" },
    truncated: { type: "boolean" },
    duration_ms: { type: "number" },
    ended: { type: "string", enum: ["time", "memory", "output"] },
  },
  required: ["passed", "failed", "skipped", "total", "failures", "output", "truncated", "duration_ms"],
} as const;

/** Output of `test_runner`; failed tests are part of it. */
export type TestRunnerOutput = JsonOutput<typeof output>;

/**
 * The tool `test_runner`: runs tests in the sandbox. Always registered; without a sandbox it fails with
 * `not_available`.
 */
export function testRunnerTool({
  clock,
  programs,
}: { readonly clock?: Clock; readonly programs?: SandboxPrograms } = {}): ToolFor<typeof input, TestRunnerOutput> {
  return defineTool({
    name: "test_runner",
    description:
      "Runs tests of JavaScript, TypeScript or Python code in a sandbox: no network, no files of this machine, limited " +
      "memory and time. Returns how many passed, failed and were skipped, the failures with their messages, the printed " +
      "output, and with coverage the percentage of lines that ran. Failing tests are a result, not an error. " +
      "A file without tests, and code that ends the process early, count as failed.",
    displayName: "Test runner",
    category: "general",
    tags: ["code", "test"],
    capabilities: ["run_tests", "test", "运行测试", "测试"],
    // Nothing outlives the sandbox.
    effect: "read",
    callerContent: true,
    unavailable: () => missingPrograms(),
    timeoutMs: ({ timeout }) => timeout * 1000 + aroundMs,
    input,
    output,
    run: async ({ coverage, timeout, ...request }, { signal }) => {
      const { runTests } = await import("./test-runner/run-tests.ts");
      const { durationMs, ...report } = await runTests(request, {
        coverage,
        timeMs: timeout * 1000,
        signal,
        ...definedOnly({ clock, programs }),
      });
      return { ...report, duration_ms: Math.round(durationMs) };
    },
  });
}

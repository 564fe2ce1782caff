import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { type CodeBundle, type CodeFile, readBundle, checkPaths, fileList, mergeFiles } from "./code-bundle.ts";
import { deadlineMs } from "./deadline.ts";
import type { WritingServices } from "./writing-services.ts";

/** Input of `code_fixer`. */
export interface CodeFixerInput {
  readonly code: unknown;
  readonly review: unknown;
  readonly test_results?: unknown;
}

/** Output of `code_fixer`. */
export interface FixedCode extends CodeBundle {
  /** The changes, one line for each issue. */
  readonly changes: readonly string[];
}

const defaultTimeoutMs = 300_000;

/** The tool `code_fixer`: code after a review. */
export function codeFixerTool(services: WritingServices): Tool<CodeFixerInput, CodeFixerInput, FixedCode> {
  const timeoutMs = deadlineMs(services, defaultTimeoutMs);
  const output = fromJsonSchema<FixedCode, FixedCode>({
    type: "object",
    properties: {
      language: { type: "string", default: "", description: "The programming language." },
      files: fileList("The code that changed."),
      tests: fileList("The tests that changed.", { default: [] }),
      changes: { type: "array", items: { type: "string" }, description: "The changes, one line for each issue." },
      notes: { type: "string", default: "", description: "What was not changed, and why." },
    },
    required: ["files", "changes"],
  });
  return defineTool({
    name: "code_fixer",
    description:
      "Fixes code according to a review, and returns all of it, including unchanged files: { language, files, tests, changes, " +
      "notes }. Nothing is written to disk. Use it after code_reviewer found issues. Needs a configured model.",
    displayName: "Code fixer",
    category: "ai",
    tags: ["code", "review"],
    capabilities: ["fix", "修复"],
    effect: "read",
    timeoutMs,
    input: fromJsonSchema<CodeFixerInput, CodeFixerInput>({
      type: "object",
      properties: {
        code: { description: "The code: the output of code_generator, or a text." },
        review: { description: "What to fix: the output of code_reviewer, a list of issues, or a text." },
        test_results: { description: "The output of test_runner for it." },
      },
      required: ["code", "review"],
      additionalProperties: false,
      examples: [
        {
          code: "export const isLeapYear = (year: number): boolean => year % 4 === 0;",
          review: "1900 was not a leap year: years divisible by 100 must also be divisible by 400.",
        },
      ],
    }),
    output,
    run: async ({ code, review, test_results }, context) => {
      const { requestWriterObject } = await import("./request-writer.ts");
      const values = { code, review, test_results };
      const assignment = {
        tool: "code_fixer",
        values,
        needs: ["code", "review"],
        schema: output,
        check: checkPaths,
        timeoutMs,
      };
      return mergeFix(readBundle(code), await requestWriterObject(assignment, services, context));
    },
  });
}

/** Keeps files that the model omitted; a test stays a test in either list. */
function mergeFix(before: CodeBundle | undefined, fixed: FixedCode): FixedCode {
  if (before === undefined) return fixed;
  const testPaths = new Set([...before.tests, ...fixed.tests].map(({ path }) => path));
  const isTest = ({ path }: CodeFile): boolean => testPaths.has(path);
  const changed = [...fixed.files, ...fixed.tests];
  return {
    ...fixed,
    language: before.language === "" ? fixed.language : before.language,
    files: mergeFiles(
      before.files,
      changed.filter((file) => !isTest(file)),
    ).filter((file) => !isTest(file)),
    tests: mergeFiles(before.tests, changed.filter(isTest)),
  };
}

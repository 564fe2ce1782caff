import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { type CodeBundle, type CodeFile, asBundle, checkPaths, fileList, mergeFiles } from "./code-bundle.ts";
import { deadlineMs } from "./deadline.ts";
import type { WritingServices } from "./writing-services.ts";

/** What `code_fixer` takes. */
export interface CodeFixerInput {
  readonly code: unknown;
  readonly review: unknown;
  readonly test_results?: unknown;
}

/** What `code_fixer` gives. */
export interface FixedCode extends CodeBundle {
  /** What was done, one line for each issue. */
  readonly changes: readonly string[];
}

const usualMs = 300_000;

/** `code_fixer`: code after a review. */
export function codeFixerTool(services: WritingServices): Tool<CodeFixerInput, CodeFixerInput, FixedCode> {
  const timeoutMs = deadlineMs(services, usualMs);
  const output = fromJsonSchema<FixedCode, FixedCode>({
    type: "object",
    properties: {
      language: { type: "string", default: "", description: "The programming language." },
      files: fileList("The code that changed."),
      tests: fileList("The tests that changed.", { default: [] }),
      changes: { type: "array", items: { type: "string" }, description: "What was done, one line for each issue." },
      notes: { type: "string", default: "", description: "What was left as it is, and why." },
    },
    required: ["files", "changes"],
  });
  return defineTool({
    name: "code_fixer",
    description:
      "Mends code as a review asks, and gives all of it back, unchanged files included: { language, files, tests, changes, " +
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
        review: { description: "What to mend: the output of code_reviewer, a list of issues, or a text." },
        test_results: { description: "What test_runner gave for it." },
      },
      required: ["code", "review"],
      additionalProperties: false,
      examples: [
        {
          code: "export const isLeapYear = (year: number): boolean => year % 4 === 0;",
          review: "1900 was no leap year: years that 100 divides need 400 to divide them too.",
        },
      ],
    }),
    output,
    run: async ({ code, review, test_results }, context) => {
      const { askForObject } = await import("./ask-writer.ts");
      const values = { code, review, test_results };
      const assignment = {
        tool: "code_fixer",
        values,
        needs: ["code", "review"],
        schema: output,
        check: checkPaths,
        timeoutMs,
      };
      return mergeFix(asBundle(code), await askForObject(assignment, services, context));
    },
  });
}

/** Files that the model left out stay as they were; a test is one wherever it was listed. */
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

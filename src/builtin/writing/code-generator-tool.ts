import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { type CodeBundle, checkPaths, fileList } from "./code-bundle.ts";
import { deadlineMs } from "./deadline.ts";
import type { WritingServices } from "./writing-services.ts";

/** Input of `code_generator`. */
export interface CodeGeneratorInput {
  readonly design: unknown;
  readonly language: string;
  readonly requirements?: unknown;
}

const defaultTimeoutMs = 300_000;

/** The tool `code_generator`: code for a design, and its tests. */
export function codeGeneratorTool(services: WritingServices): Tool<CodeGeneratorInput, CodeGeneratorInput, CodeBundle> {
  const timeoutMs = deadlineMs(services, defaultTimeoutMs);
  const output = fromJsonSchema<CodeBundle, CodeBundle>({
    type: "object",
    properties: {
      language: { type: "string", description: "The programming language." },
      files: fileList("The code.", { minItems: 1 }),
      tests: fileList("The tests of the code.", { minItems: 1 }),
      notes: { type: "string", default: "", description: "How to run the tests, and the decisions made." },
    },
    required: ["language", "files", "tests"],
  });
  return defineTool({
    name: "code_generator",
    description:
      "Writes the code for a design, and tests for it: { language, files, tests, notes }, each file with its path and whole " +
      "content. Nothing is written to disk and nothing is run; test_runner runs the tests. Needs a configured model.",
    displayName: "Code generator",
    category: "ai",
    tags: ["code"],
    capabilities: ["code", "编程", "代码生成"],
    effect: "read",
    timeoutMs,
    input: fromJsonSchema<CodeGeneratorInput, CodeGeneratorInput>({
      type: "object",
      properties: {
        design: { description: "What to build: the output of llm_design, or a description as text." },
        language: {
          type: "string",
          minLength: 1,
          maxLength: 60,
          default: "typescript",
          description: "The programming language, such as typescript or python.",
        },
        requirements: { description: "The requirements of the design, if it does not contain them." },
      },
      required: ["design"],
      additionalProperties: false,
      examples: [
        { design: "A module leap-year.ts that exports isLeapYear(year: number): boolean.", language: "typescript" },
      ],
    }),
    output,
    run: async ({ design, language, requirements }, context) => {
      const { requestWriterObject } = await import("./request-writer.ts");
      const values = { design, language, requirements };
      const assignment = {
        tool: "code_generator",
        values,
        needs: ["design"],
        schema: output,
        check: checkPaths,
        timeoutMs,
      };
      const bundle = await requestWriterObject(assignment, services, context);
      return { ...bundle, language };
    },
  });
}

import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { deadlineMs } from "./deadline.ts";
import type { WritingServices } from "./writing-services.ts";

/** Input of `llm_design`. */
export interface DesignInput {
  readonly requirements: unknown;
  readonly language?: string;
  readonly constraints?: unknown;
}

/** Output of `llm_design`. */
export interface Design {
  readonly summary: string;
  readonly components: readonly {
    readonly name: string;
    readonly responsibility: string;
    readonly interface?: string;
  }[];
  readonly files: readonly { readonly path: string; readonly purpose: string }[];
  readonly decisions: readonly string[];
  readonly tests: readonly string[];
}

const defaultTimeoutMs = 180_000;
const texts = { type: "array", items: { type: "string" }, default: [] };

const inputSchema: JsonSchema = {
  type: "object",
  properties: {
    requirements: { description: "What the software has to do: a text, or an object or list of requirements." },
    language: { type: "string", maxLength: 60, description: "The programming language, if it is decided." },
    constraints: { description: "Constraints of the solution, such as platforms or packages: a text or a list." },
  },
  required: ["requirements"],
  additionalProperties: false,
  examples: [{ requirements: "A function that returns whether a year is a leap year.", language: "typescript" }],
};

const outputSchema: JsonSchema = {
  type: "object",
  properties: {
    summary: { type: "string", minLength: 1, description: "The design in a few sentences." },
    components: {
      type: "array",
      minItems: 1,
      description: "The parts, each with one responsibility.",
      items: {
        type: "object",
        properties: {
          name: { type: "string" },
          responsibility: { type: "string" },
          interface: { type: "string", description: "Functions with parameters, results and errors." },
        },
        required: ["name", "responsibility"],
      },
    },
    files: {
      type: "array",
      default: [],
      description: "The files to write.",
      items: {
        type: "object",
        properties: { path: { type: "string" }, purpose: { type: "string" } },
        required: ["path", "purpose"],
      },
    },
    decisions: { ...texts, description: "Decisions that the requirements left open." },
    tests: { ...texts, description: "Cases to test, with inputs and expected results." },
  },
  required: ["summary", "components"],
};

/** The tool `llm_design`: a design of software for its requirements. */
export function llmDesignTool(services: WritingServices): Tool<DesignInput, DesignInput, Design> {
  const timeoutMs = deadlineMs(services, defaultTimeoutMs);
  const output = fromJsonSchema<Design, Design>(outputSchema);
  return defineTool({
    name: "llm_design",
    description:
      "Converts requirements to a software design: a summary, components with their interfaces, files to write, decisions " +
      "and test cases. Use it before code_generator, which takes the design as it is. Needs a configured model.",
    displayName: "Software design",
    category: "ai",
    tags: ["code", "design"],
    capabilities: ["design", "设计", "架构"],
    effect: "read",
    timeoutMs,
    input: fromJsonSchema<DesignInput, DesignInput>(inputSchema),
    output,
    run: async ({ requirements, language, constraints }, context) => {
      const { requestWriterObject } = await import("./request-writer.ts");
      const values = { requirements, language, constraints };
      return requestWriterObject(
        { tool: "llm_design", values, needs: ["requirements"], schema: output, timeoutMs },
        services,
        context,
      );
    },
  });
}

/** Schemas of explanations and comparisons of runs. */
export const runViewSchemas = {
  RunExplanation: {
    type: "object",
    properties: {
      run_id: { type: "string" },
      step: { type: "string" },
      sentences: { type: "array", items: { type: "string" } },
      facts: {
        type: "array",
        description: "What the sentences state, in their order.",
        items: {
          type: "object",
          properties: {
            step: { type: "string" },
            code: { type: "string" },
            params: { type: "object" },
            position: {
              type: "object",
              description: "Of an expression that failed, if the file of the chain still has it.",
              properties: { file: { type: "string" }, line: { type: "integer" }, column: { type: "integer" } },
              required: ["file", "line", "column"],
            },
          },
          required: ["code", "params"],
        },
      },
    },
    required: ["run_id", "sentences", "facts"],
  },
  ValueDifferences: {
    type: "object",
    properties: {
      differences: {
        type: "array",
        items: {
          type: "object",
          properties: {
            path: { type: "array", items: { type: ["string", "integer"] } },
            before: { description: "Absent if there was none." },
            after: { description: "Absent if there is none." },
          },
          required: ["path"],
        },
      },
      more: { type: "boolean", description: "There are more than these." },
    },
    required: ["differences"],
  },
  ComparedStep: {
    type: "object",
    properties: {
      status: { type: "string" },
      tool: { type: "string" },
      duration_ms: { type: "number" },
      attempts: { type: "integer" },
      error: { $ref: "#/components/schemas/Failure" },
    },
    required: ["status", "tool", "duration_ms", "attempts"],
  },
  RunDifference: {
    type: "object",
    properties: {
      before: { type: "string", description: "The id of the earlier run." },
      after: { type: "string", description: "The id of the later run." },
      input: { $ref: "#/components/schemas/ValueDifferences" },
      output: { $ref: "#/components/schemas/ValueDifferences" },
      steps: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: { type: "string" },
            before: { $ref: "#/components/schemas/ComparedStep" },
            after: { $ref: "#/components/schemas/ComparedStep" },
            input: { $ref: "#/components/schemas/ValueDifferences" },
            output: { $ref: "#/components/schemas/ValueDifferences" },
            same: { type: "boolean" },
          },
          required: ["id", "input", "output", "same"],
        },
      },
    },
    required: ["before", "after", "input", "output", "steps"],
  },
} as const;

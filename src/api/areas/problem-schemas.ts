/** Schemas of values that many routes share. */
export const problemSchemas = {
  Problem: {
    type: "object",
    description: "The body of every error response (RFC 9457).",
    properties: {
      type: { type: "string" },
      title: { type: "string" },
      status: { type: "integer" },
      detail: { type: "string", description: "What happened, and what to do." },
      code: { type: "string", description: "The failure code." },
      reason: { type: "string" },
      issues: { type: "array", items: { $ref: "#/components/schemas/Issue" } },
      hint: { type: "string" },
      position: { $ref: "#/components/schemas/Position" },
      retry: { enum: ["safe", "unsafe", "never"], description: "Whether the same request may be sent again." },
      approval_id: { type: "string" },
      call: {
        type: "object",
        description: "The facts of a call that failed.",
        properties: {
          tool: { type: "string" },
          duration_ms: { type: "number" },
          queued_ms: { type: "number" },
          executed_at: { type: "string", format: "date-time" },
          thrown_at: { type: "string", description: "The position in the code of the workspace that threw." },
          meta: {
            type: "object",
            properties: { call_id: { type: "string" }, attempts: { type: "integer" } },
            required: ["call_id", "attempts"],
          },
        },
        required: ["tool", "duration_ms", "executed_at", "meta"],
      },
      run_id: { type: "string" },
      decided_by: { type: "string" },
    },
    required: ["type", "title", "status", "detail", "code"],
  },
  Issue: {
    type: "object",
    properties: {
      path: { type: "array", items: { type: ["string", "integer"] } },
      code: { type: "string" },
      message: { type: "string" },
      suggestion: { type: "string" },
    },
    required: ["path", "code", "message"],
  },
  Position: {
    type: "object",
    properties: { file: { type: "string" }, line: { type: "integer" }, column: { type: "integer" } },
    required: ["file", "line", "column"],
  },
  Failure: {
    type: "object",
    description: "Why a call or a run failed.",
    properties: {
      code: { type: "string" },
      reason: { type: "string" },
      message: { type: "string" },
      retry: { enum: ["safe", "unsafe", "never"] },
      retry_after_ms: { type: "number" },
      approval_id: { type: "string" },
      issues: { type: "array", items: { $ref: "#/components/schemas/Issue" } },
    },
    required: ["code", "message"],
  },
} as const;

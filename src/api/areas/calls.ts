/** Schemas of durable calls. */
export const callSchemas = {
  Call: {
    type: "object",
    description: "A durable call: a run of the kind `call`.",
    properties: {
      run_id: { type: "string" },
      tool: { type: "string" },
      status: { enum: ["running", "waiting", "success", "failed", "cancelled"] },
      interrupted: { type: "boolean", description: "Its process has died; a server resumes it." },
      args: { description: "The arguments; secrets are redacted." },
      result: {
        type: "object",
        description: "Once it has ended: a CallResult, or the same with `success: false` and an `error`.",
        properties: {
          success: { type: "boolean" },
          tool: { type: "string" },
          output: {},
          error: { $ref: "#/components/schemas/Failure" },
        },
        required: ["success", "tool"],
      },
      started_at: { type: "string", format: "date-time" },
      finished_at: { type: "string", format: "date-time" },
      approvals: {
        type: "array",
        items: { $ref: "#/components/schemas/Approval" },
        description: "The pending approvals that it waits for.",
      },
      cancel_requested: { type: "boolean", description: "It was cancelled and has not ended yet." },
    },
    required: ["run_id", "tool", "status", "args", "started_at", "approvals"],
  },
} as const;

/** Routes of durable calls. */
export const callRoutes = {
  get_call: {
    method: "GET",
    path: "/v1/calls/{id}",
    access: "read",
    summary:
      "A durable call: its state, and its result once it has ended. `Prefer: wait=30` waits up to 30 s for its end.",
    response: "Call",
  },
  cancel_call: {
    method: "POST",
    path: "/v1/calls/{id}/cancel",
    access: "call",
    summary: "Cancel a durable call. `Prefer: wait=30` waits up to 30 s for its end; 200 if it has ended.",
    response: "Call",
    accepted: "Call",
  },
} as const;

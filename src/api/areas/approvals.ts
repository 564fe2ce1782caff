/** Schemas of approvals. */
export const approvalSchemas = {
  Approval: {
    type: "object",
    properties: {
      id: { type: "string" },
      status: { enum: ["pending", "approved", "rejected", "used", "expired"] },
      tool: { type: "string" },
      args: { description: "The arguments, with secrets redacted." },
      message: { type: "string" },
      run_id: { type: "string" },
      created_at: { type: "string", format: "date-time" },
      expires_at: { type: ["string", "null"], format: "date-time" },
      decided_at: { type: "string", format: "date-time" },
      decided_by: { type: "string" },
      note: { type: "string" },
      last_approved: {
        type: "object",
        description: "Of a pending approval: the last one of the same tool and step that was approved, to compare.",
        properties: {
          id: { type: "string" },
          args: { description: "The arguments, with secrets redacted." },
          decided_at: { type: "string", format: "date-time" },
          decided_by: { type: "string" },
        },
        required: ["id"],
      },
    },
    required: ["id", "status", "tool", "created_at"],
  },
  ApprovalPage: {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/Approval" } },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["items", "next_cursor"],
  },
  DecisionRequest: {
    type: "object",
    properties: {
      decision: { enum: ["approve", "reject", "done"], description: "done: the work of an interrupted call was done." },
      note: { type: "string", maxLength: 2000 },
      output: { description: "With done: the output of the call." },
    },
    required: ["decision"],
    additionalProperties: false,
  },
} as const;

/** Routes of approvals. */
export const approvalRoutes = {
  list_approvals: {
    method: "GET",
    path: "/v1/approvals",
    access: "read",
    summary: "List the approvals.",
    query: {
      status: { enum: ["pending", "approved", "rejected", "used", "expired"] },
      limit: { type: "integer", minimum: 1, maximum: 200 },
      cursor: { type: "string", maxLength: 500 },
    },
    response: "ApprovalPage",
  },
  get_approval: {
    method: "GET",
    path: "/v1/approvals/{id}",
    access: "read",
    summary: "An approval.",
    response: "Approval",
  },
  decide_approval: {
    method: "POST",
    path: "/v1/approvals/{id}",
    access: "approve",
    summary: "Approve or reject. The first decision wins; a second one gets 409.",
    body: "DecisionRequest",
    response: "Approval",
  },
} as const;

/** Schemas of the audit log. */
export const auditSchemas = {
  AuditEntry: {
    type: "object",
    properties: {
      number: { type: "integer" },
      at: { type: "string", format: "date-time" },
      by: { type: "string", description: "The principal of a token, or the user at a terminal." },
      action: {
        type: "string",
        description: "approval.decide, chain.save, token.create, token.revoke or session.open.",
      },
      target: { type: "string", description: "The approval, chain or token concerned." },
      outcome: { type: "string", description: "done, or why it was refused or failed." },
      detail: { type: "string", description: "The decision and its tool, or the name and the scopes of a token." },
      request_id: { type: "string", description: "The request, as in the access log; absent at a terminal." },
    },
    required: ["number", "at", "by", "action", "outcome"],
  },
  AuditPage: {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/AuditEntry" } },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["items", "next_cursor"],
  },
} as const;

/** The route of the audit log. */
export const auditRoutes = {
  list_audit: {
    method: "GET",
    path: "/v1/audit",
    access: "admin",
    summary: "The audit log: decisions, saved chains, tokens and sessions, the newest first.",
    query: {
      action: { enum: ["approval.decide", "chain.save", "token.create", "token.revoke", "session.open"] },
      by: { type: "string", maxLength: 200 },
      target: { type: "string", maxLength: 200 },
      since: { type: "string", format: "date-time" },
      limit: { type: "integer", minimum: 1, maximum: 200 },
      cursor: { type: "string", maxLength: 500 },
    },
    response: "AuditPage",
  },
} as const;

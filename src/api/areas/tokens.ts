/** Schemas of tokens and sessions. */
export const tokenSchemas = {
  Scope: {
    enum: ["read", "call", "run", "approve", "edit", "admin"],
    description: "edit saves chains, so it equals running any tool; admin includes all others.",
  },
  Token: {
    type: "object",
    description: "A token, without its text.",
    properties: {
      id: { type: "string" },
      name: { type: "string", description: "The principal of its requests." },
      scopes: { type: "array", items: { $ref: "#/components/schemas/Scope" } },
      run_id: { type: "string", description: "The only run that it opens." },
      status: { enum: ["active", "expired", "revoked"] },
      created_at: { type: "string", format: "date-time" },
      expires_at: { type: ["string", "null"], format: "date-time" },
      revoked_at: { type: "string", format: "date-time" },
      last_used_at: { type: "string", format: "date-time" },
    },
    required: ["id", "name", "scopes", "status", "created_at", "expires_at"],
  },
  TokenPage: {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/Token" } },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["items", "next_cursor"],
  },
  NewTokenRequest: {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, maxLength: 100 },
      scopes: { type: "array", items: { $ref: "#/components/schemas/Scope" }, minItems: 1, maxItems: 6 },
      expires_in_ms: {
        type: ["integer", "null"],
        minimum: 1000,
        maximum: 315_360_000_000,
        description: "Default: 90 days. null: it does not expire.",
      },
      run_id: { type: "string", minLength: 1, maxLength: 200, description: "The only run that it opens, for reading." },
    },
    required: ["name", "scopes"],
    additionalProperties: false,
  },
  NewToken: {
    type: "object",
    properties: {
      token: { type: "string", description: "The text of the token, which is shown once." },
      info: { $ref: "#/components/schemas/Token" },
    },
    required: ["token", "info"],
  },
  SessionRequest: {
    type: "object",
    properties: { code: { type: "string", minLength: 1, maxLength: 200, description: "The one-time code of a link." } },
    required: ["code"],
    additionalProperties: false,
  },
} as const;

/** Routes of tokens and sessions. */
export const tokenRoutes = {
  list_tokens: {
    method: "GET",
    path: "/v1/tokens",
    access: "admin",
    summary: "List the tokens, the newest first, without their texts.",
    query: { limit: { type: "integer", minimum: 1, maximum: 200 }, cursor: { type: "string", maxLength: 500 } },
    response: "TokenPage",
  },
  create_token: {
    method: "POST",
    path: "/v1/tokens",
    access: "admin",
    summary: "Create a token. Its text is only in this response.",
    body: "NewTokenRequest",
    response: "NewToken",
    status: 201,
  },
  revoke_token: {
    method: "DELETE",
    path: "/v1/tokens/{id}",
    access: "admin",
    summary: "Revoke a token.",
    response: "Token",
  },
  create_session: {
    method: "POST",
    path: "/v1/session",
    access: "code",
    summary: "Exchange the one-time code of a link for a token.",
    body: "SessionRequest",
    response: "NewToken",
    status: 201,
  },
} as const;

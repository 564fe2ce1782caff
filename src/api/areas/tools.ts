/** Schemas of tools and calls of them. */
export const toolSchemas = {
  Tool: {
    type: "object",
    properties: {
      name: { type: "string" },
      wire_name: { type: "string", description: "The name in paths: letters, digits, _ and -." },
      display_name: { type: "string" },
      version: { type: "string" },
      description: { type: "string" },
      category: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      aliases: { type: "array", items: { type: "string" } },
      capabilities: { type: "array", items: { type: "string" } },
      effect: { type: "string", description: "pure, read, idempotent, once, or varies with the arguments." },
      destructive: { enum: [true, false, "varies"] },
      composite: { type: "boolean" },
      source: { type: "string", description: "tools, skills, mcps or chains." },
      owner: { type: "string", description: "builtin, or the folder or MCP server that it comes from." },
      status: { type: "string" },
      file: { type: "string" },
      broken: { type: "string", description: "Why the tool cannot be called." },
    },
    required: ["name", "wire_name", "version", "description", "category", "effect", "source"],
  },
  ToolDetail: {
    type: "object",
    properties: {
      name: { type: "string" },
      wire_name: { type: "string" },
      display_name: { type: "string" },
      version: { type: "string" },
      description: { type: "string" },
      category: { type: "string" },
      effect: { type: "string" },
      destructive: { enum: [true, false, "varies"] },
      source: { type: "string" },
      input_schema: { type: "object", description: "JSON Schema of the arguments." },
      output_schema: { type: "object", description: "JSON Schema of the output, if the tool declares one." },
    },
    required: ["name", "wire_name", "version", "description", "category", "effect", "source", "input_schema"],
  },
  ToolPage: {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/Tool" } },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["items", "next_cursor"],
  },
  CallRequest: {
    type: "object",
    properties: {
      args: { type: "object", description: "The arguments of the tool. Default: none." },
      conversation_id: { type: "string", minLength: 1, maxLength: 200 },
      timeout_ms: { type: "integer", minimum: 1, maximum: 86400000 },
      max_retries: { type: "integer", minimum: 0, maximum: 100 },
      strict: { type: "boolean", description: "Refuse arguments that the tool does not declare. Default: drop them." },
    },
    additionalProperties: false,
  },
  CallResult: {
    type: "object",
    description: "The result of a call that succeeded.",
    properties: {
      success: { const: true },
      tool: { type: "string" },
      output: {},
      attachments: { type: "array", items: { type: "object" } },
      duration_ms: { type: "number" },
      queued_ms: { type: "number" },
      executed_at: { type: "string", format: "date-time" },
      meta: {
        type: "object",
        properties: { call_id: { type: "string" }, attempts: { type: "integer" }, cached: { type: "boolean" } },
        required: ["call_id", "attempts"],
      },
    },
    required: ["success", "tool", "output", "duration_ms", "executed_at", "meta"],
  },
} as const;

/** Routes of tools and calls of them. */
export const toolRoutes = {
  list_tools: {
    method: "GET",
    path: "/v1/tools",
    access: "read",
    summary: "List the tools.",
    query: {
      query: { type: "string", maxLength: 500 },
      source: { type: "string", maxLength: 100 },
      effect: { enum: ["pure", "read", "idempotent", "once"] },
      limit: { type: "integer", minimum: 1, maximum: 200 },
      cursor: { type: "string", maxLength: 500 },
    },
    response: "ToolPage",
  },
  get_tool: {
    method: "GET",
    path: "/v1/tools/{name}",
    access: "read",
    summary: "Describe a tool, with its schemas.",
    response: "ToolDetail",
  },
  call_tool: {
    method: "POST",
    path: "/v1/tools/{name}/call",
    access: "call",
    summary:
      "Call a tool. With `Prefer: respond-async` or an `Idempotency-Key`, the call is durable; `Prefer: wait=30` then waits up to 30 s for its end.",
    body: "CallRequest",
    optionalBody: true,
    response: "CallResult",
    accepted: "Call",
    startsWork: true,
  },
} as const;

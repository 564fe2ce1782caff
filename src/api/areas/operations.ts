/** Schemas of MCP servers, files and the operation of the server. */
export const operationSchemas = {
  McpServer: {
    type: "object",
    properties: {
      name: { type: "string" },
      state: { type: "string", description: "Such as connected, known, down, changed, disabled, untrusted." },
      transport: { enum: ["stdio", "http"] },
      display: { type: "string", description: "Its command line or address." },
      protocol: { type: "string" },
      seen_at: { type: "string", format: "date-time" },
      tools: { type: "array", items: { type: "string" } },
      refused: { type: "array", items: { type: "object" }, description: "Listed tools that cannot be called." },
      resources: { type: "integer" },
      problems: { type: "array", items: { type: "string" } },
      last_failure: { type: "object" },
      fault: { type: "string" },
      hint: { type: "string" },
      review: {
        type: "object",
        description: "What waits for approval. Absent if nothing does.",
        properties: {
          digest: { type: "string", description: "Approving sends it, so that exactly this is approved." },
          address: { type: "object" },
          tools: { type: "array", items: { type: "object" } },
          gone: { type: "array", items: { type: "string" } },
          refused: { type: "array", items: { type: "object" } },
        },
        required: ["digest", "tools", "gone", "refused"],
      },
    },
    required: ["name", "state", "display", "tools", "refused"],
  },
  McpServerPage: {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/McpServer" } },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["items", "next_cursor"],
  },
  McpApprovalRequest: {
    type: "object",
    properties: { digest: { type: "string", maxLength: 100, description: "`review.digest` of the server." } },
    required: ["digest"],
    additionalProperties: false,
  },
  StoredFile: {
    type: "object",
    properties: {
      handle: { type: "string", description: "Names the file in messages and in `GET /v1/results/{handle}`." },
      name: { type: "string" },
      media_type: { type: "string" },
      bytes: { type: "integer" },
    },
    required: ["handle", "media_type", "bytes"],
  },
  Finding: {
    type: "object",
    properties: {
      about: { type: "string" },
      status: { enum: ["ok", "off", "warn", "fail"] },
      message: { type: "string" },
      todo: { type: "string" },
    },
    required: ["about", "status", "message"],
  },
  DoctorReport: {
    type: "object",
    properties: {
      ok: { type: "boolean" },
      findings: { type: "array", items: { $ref: "#/components/schemas/Finding" } },
    },
    required: ["ok", "findings"],
  },
} as const;

/** Routes of MCP servers, files and the operation of the server. */
export const operationRoutes = {
  list_mcp_servers: {
    method: "GET",
    path: "/v1/mcp/servers",
    access: "read",
    summary: "List the MCP servers that the workspace uses, and what of them waits for approval.",
    response: "McpServerPage",
  },
  approve_mcp_server: {
    method: "POST",
    path: "/v1/mcp/servers/{name}/approve",
    access: "admin",
    summary: "Approve a new command or address, or new and changed tools of an MCP server, as reviewed.",
    body: "McpApprovalRequest",
    response: "McpServer",
  },
  reconnect_mcp_server: {
    method: "POST",
    path: "/v1/mcp/servers/{name}/reconnect",
    access: "admin",
    summary: "Connect to an MCP server now, and list its tools.",
    response: "McpServer",
  },
  get_result: {
    method: "GET",
    path: "/v1/results/{handle}",
    access: "read",
    summary: "A large result or a file, as an attachment, for the token that stored it. Takes `Range`.",
    query: {
      conversation: { type: "string", maxLength: 200, description: "The conversation that the result belongs to." },
    },
    response: "application/octet-stream",
  },
  upload_file: {
    method: "POST",
    path: "/v1/files",
    access: "run",
    summary: "Store a file for messages, such as an image: its bytes are the body, with their `Content-Type`.",
    query: {
      name: { type: "string", minLength: 1, maxLength: 200 },
      conversation: { type: "string", maxLength: 200, description: "The conversation that it belongs to." },
    },
    upload: true,
    response: "StoredFile",
    status: 201,
  },
  prometheus: {
    method: "GET",
    path: "/metrics",
    access: "read",
    summary: "Figures in the text format of Prometheus: requests, calls with p50 and p95, slots, runs by status.",
    response: "text/plain",
  },
  get_doctor: {
    method: "GET",
    path: "/v1/doctor",
    access: "admin",
    summary: "Check the workspace: settings, tools, chains, models, secrets, database. Sends no requests.",
    response: "DoctorReport",
  },
  get_schema: {
    method: "GET",
    path: "/v1/schemas/{name}",
    access: "read",
    summary: "The JSON Schema of the files of a workspace: chain, tool, capability or workspace.",
    response: "application/json",
  },
} as const;

/** Schemas of chains and their texts. */
export const chainSchemas = {
  Chain: {
    type: "object",
    properties: {
      name: { type: "string" },
      description: { type: "string" },
      version: { type: "string" },
      file: { type: "string", description: "Relative to the workspace; absent if the chain is built in." },
      builtin: { type: "boolean" },
      steps: {
        type: "array",
        items: {
          type: "object",
          properties: { id: { type: "string" }, tool: { type: "string" } },
          required: ["id", "tool"],
        },
      },
      effect: { enum: ["pure", "read", "idempotent", "once"], description: "The strongest effect of its calls." },
      destructive: { type: "boolean" },
      input_schema: { type: "object", description: "JSON Schema of its input." },
      errors: { type: "integer", description: "Problems that make it unusable." },
      warnings: { type: "integer" },
    },
    required: ["name", "builtin", "steps", "errors", "warnings"],
  },
  ChainPage: {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/Chain" } },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["items", "next_cursor"],
  },
  TextRange: {
    type: "object",
    description: "Lines and columns from 1, in UTF-16 units; the end is the position after the last unit.",
    properties: {
      line: { type: "integer" },
      column: { type: "integer" },
      end_line: { type: "integer" },
      end_column: { type: "integer" },
    },
    required: ["line", "column", "end_line", "end_column"],
  },
  FileProblem: {
    type: "object",
    properties: {
      severity: { enum: ["error", "warning"] },
      code: { type: "string" },
      message: { type: "string" },
      hint: { type: "string" },
      file: { type: "string" },
      range: { $ref: "#/components/schemas/TextRange" },
      fix: {
        type: "object",
        description: "A replacement that removes the problem.",
        properties: { range: { $ref: "#/components/schemas/TextRange" }, text: { type: "string" } },
        required: ["range", "text"],
      },
    },
    required: ["severity", "code", "message", "file", "range"],
  },
  ValidateRequest: {
    type: "object",
    properties: {
      text: { type: "string", maxLength: 1048576 },
      name: { type: "string", maxLength: 200, description: "The chain that the text is to replace." },
    },
    required: ["text"],
    additionalProperties: false,
  },
  ValidateResult: {
    type: "object",
    properties: {
      valid: { type: "boolean" },
      problems: { type: "array", items: { $ref: "#/components/schemas/FileProblem" } },
      input_schema: { type: "object", description: "JSON Schema of the input, if the text can be planned." },
      graph: { type: "object", description: "The graph, if the text can be planned." },
    },
    required: ["valid", "problems"],
  },
  SaveChainRequest: {
    type: "object",
    properties: { text: { type: "string", minLength: 1, maxLength: 1048576 } },
    required: ["text"],
    additionalProperties: false,
  },
} as const;

/** Routes of chains and their texts. */
export const chainRoutes = {
  list_chains: {
    method: "GET",
    path: "/v1/chains",
    access: "read",
    summary: "List the chains.",
    query: { limit: { type: "integer", minimum: 1, maximum: 200 }, cursor: { type: "string", maxLength: 500 } },
    response: "ChainPage",
  },
  get_chain: {
    method: "GET",
    path: "/v1/chains/{name}",
    access: "read",
    summary: "The text of a chain. The ETag header identifies this text.",
    response: "application/yaml",
  },
  save_chain: {
    method: "PUT",
    path: "/v1/chains/{name}",
    access: "edit",
    summary:
      "Save a valid text as a chain, whole or not at all. Send `If-Match` with the ETag of the text that it replaces, or `If-None-Match: *` for a new chain.",
    body: "SaveChainRequest",
    response: "Chain",
  },
  validate_chain: {
    method: "POST",
    path: "/v1/chains:validate",
    access: "read",
    summary: "Check the text of a chain without saving it.",
    body: "ValidateRequest",
    response: "ValidateResult",
  },
  get_chain_graph: {
    method: "GET",
    path: "/v1/chains/{name}/graph",
    access: "read",
    summary: "The graph of a chain.",
    query: { format: { enum: ["json", "mermaid", "svg"] }, theme: { enum: ["light", "dark"] } },
    response: "application/json",
  },
} as const;

/** Schemas of records of calls and figures about them. */
export const recordSchemas = {
  Record: {
    type: "object",
    description: "The record of one call.",
    properties: {
      id: { type: "string" },
      tool: { type: "string" },
      version: { type: "string" },
      source: { type: "string" },
      args: {},
      success: { type: "boolean" },
      output: {},
      error: { $ref: "#/components/schemas/Failure" },
      duration_ms: { type: "number" },
      queued_ms: { type: "number" },
      attempts: { type: "integer" },
      cached: { type: "boolean" },
      caller_type: { type: "string" },
      principal: { type: "string" },
      created_at: { type: "string", format: "date-time" },
    },
    required: ["id", "tool", "success", "duration_ms", "attempts", "caller_type", "created_at"],
  },
  RecordPage: {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/Record" } },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["items", "next_cursor"],
  },
  Statistics: { type: "object", description: "Totals, failures, and durations (p50, p95, p99) per tool." },
  Metrics: {
    type: "object",
    description: "Slots and queues now.",
    properties: {
      running: { type: "integer" },
      queued: { type: "integer" },
      rejected: { type: "integer" },
      timed_out: { type: "integer" },
      buckets: { type: "object" },
    },
    required: ["running", "queued", "rejected", "timed_out", "buckets"],
  },
} as const;

/** Routes of records of calls and figures about them. */
export const recordRoutes = {
  list_records: {
    method: "GET",
    path: "/v1/records",
    access: "read",
    summary: "List the records of calls, the newest first.",
    query: {
      tool: { type: "string", maxLength: 200 },
      conversation: { type: "string", maxLength: 200 },
      status: { enum: ["success", "failure"] },
      code: { type: "string", maxLength: 100 },
      since: { type: "string", format: "date-time" },
      until: { type: "string", format: "date-time" },
      limit: { type: "integer", minimum: 1, maximum: 200 },
      cursor: { type: "string", maxLength: 500 },
    },
    response: "RecordPage",
  },
  get_record: {
    method: "GET",
    path: "/v1/records/{id}",
    access: "read",
    summary: "The record of one call.",
    response: "Record",
  },
  get_stats: {
    method: "GET",
    path: "/v1/stats",
    access: "read",
    summary: "Statistics of calls.",
    response: "Statistics",
  },
  get_metrics: {
    method: "GET",
    path: "/v1/metrics",
    access: "read",
    summary: "Slots and queues now.",
    response: "Metrics",
  },
} as const;

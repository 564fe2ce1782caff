/** Schemas of live events. */
export const eventSchemas = {
  RunEvents: {
    type: "object",
    properties: {
      items: {
        type: "array",
        items: {
          type: "object",
          properties: { type: { type: "string" }, at: { type: "string", format: "date-time" } },
          required: ["type", "at"],
        },
        description: "The events, in the form of the option `--events` of the CLI.",
      },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["items", "next_cursor"],
  },
  RunChange: {
    type: "object",
    description: "A run was created, or its status changed.",
    properties: {
      run_id: { type: "string" },
      kind: { enum: ["chain", "agent", "call"] },
      chain: { type: "string" },
      runner: { type: "string" },
      tool: { type: "string" },
      conversation_id: { type: "string" },
      status: { enum: ["running", "waiting", "success", "failed", "cancelled"], description: "After this change." },
      suspended: { type: "boolean", description: "It waits for a decision or a time; no process executes it." },
      started_at: { type: "string", format: "date-time" },
      finished_at: { type: "string", format: "date-time" },
      duration_ms: { type: "number" },
      rerun_of: { type: "string" },
      called_by: { type: "string" },
      error: { $ref: "#/components/schemas/Failure" },
    },
    required: ["run_id", "kind", "status", "started_at"],
  },
  JournalChange: {
    type: "object",
    description: "An event of the journal of a run: a call started or settled, or something is waited for.",
    properties: {
      run_id: { type: "string" },
      kind: { enum: ["chain", "agent", "call"], description: "The kind of the run." },
      seq: { type: "integer", description: "Counts the events of the run from 1." },
      change: { enum: ["started", "settled", "waiting"] },
      key: { type: "string", description: "The work that it is about." },
      step: { type: "string", description: "The step of a chain: `search`, or `research/search` in a sub-chain." },
      item: { type: "integer", description: "The item of a `for_each`, from 0." },
      at: { type: "string", format: "date-time" },
      effect: { enum: ["pure", "read", "idempotent", "once"] },
      outcome: { enum: ["call", "fired", "decided", "interrupted", "cancel"], description: "Of what settled." },
      tool: { type: "string" },
      success: { type: "boolean" },
      output: { description: "The output of the call, unless it is large." },
      output_omitted: { type: "boolean", description: "The output is large; the log of the run has it." },
      error: { $ref: "#/components/schemas/Failure" },
      duration_ms: { type: "number" },
      queued_ms: { type: "number" },
      attempts: { type: "integer" },
      cached: { type: "boolean" },
      approval_id: { type: "string" },
      decision: { enum: ["approved", "rejected", "expired"] },
      by: { type: "string", description: "The person who decided or cancelled." },
      note: { type: "string" },
      due: { type: "string", format: "date-time", description: "The end of a wait." },
    },
    required: ["run_id", "kind", "seq", "change", "key", "at"],
  },
  RunActivity: {
    type: "object",
    description: "What a run does at this moment, in the process of the server: progress, text, attempts.",
    properties: {
      run_id: { type: "string" },
      kind: { enum: ["chain", "agent", "call"] },
      event: { $ref: "#/components/schemas/ActivityEvent" },
    },
    required: ["run_id", "kind", "event"],
  },
  ActivityEvent: {
    type: "object",
    description: "An event, in the form of the option `--events` of the CLI.",
    properties: {
      type: { type: "string" },
      at: { type: "string", format: "date-time" },
      step: { type: "string" },
      item: { type: "integer" },
      tool: { type: "string" },
      call_id: { type: "string" },
      part: { type: "string" },
      round: { type: "integer" },
      text: { type: "string" },
      value: {},
      omitted: { type: "array", items: { type: "string" }, description: "Fields that are too large for an event." },
    },
    required: ["type", "at"],
  },
  RunSnapshot: {
    type: "object",
    description: "The activity of a run so far that has not ended: its running steps and calls, the text of the turn.",
    properties: {
      run_id: { type: "string" },
      kind: { enum: ["chain", "agent", "call"] },
      events: { type: "array", items: { $ref: "#/components/schemas/ActivityEvent" } },
    },
    required: ["run_id", "kind", "events"],
  },
  CallActivity: {
    type: "object",
    description: "A call of a tool, by any caller in the process of the server.",
    properties: {
      type: { enum: ["execution_started", "execution_completed", "execution_failed"] },
      at: { type: "string", format: "date-time" },
      call_id: { type: "string" },
      tool: { type: "string" },
      caller_type: { type: "string" },
      duration_ms: { type: "number" },
      cached: { type: "boolean" },
      error: { $ref: "#/components/schemas/Failure" },
    },
    required: ["type", "at", "call_id", "tool", "caller_type"],
  },
  StreamNote: {
    type: "object",
    description: "A note about the stream itself.",
    properties: { reason: { type: "string" } },
  },
} as const;

/** The name of the schema of each event of the stream. */
export const streamEvents = {
  /** Journaled, with an id. */
  run: "RunChange",
  journal: "JournalChange",
  approval: "Approval",
  /** Everything before is sent; with an id. */
  ready: "StreamNote",
  /** Events before it may be missing: read the present state. */
  reset: "StreamNote",
  /** The runs have ended; nothing follows. */
  end: "StreamNote",
  /** Ephemeral, without an id. */
  activity: "RunActivity",
  snapshot: "RunSnapshot",
  call: "CallActivity",
  metrics: "Metrics",
} as const;

/** Routes of live events. */
export const eventRoutes = {
  get_run_events: {
    method: "GET",
    path: "/v1/runs/{id}/events",
    access: "read",
    summary: "The events of a run so far, replayed from its journal.",
    response: "RunEvents",
  },
  stream_events: {
    method: "GET",
    path: "/v1/events",
    access: "read",
    summary: "Live events as server-sent events. `Last-Event-ID` continues after an event.",
    query: {
      topics: {
        type: "string",
        maxLength: 8000,
        description: "Topics, separated by commas: `runs`, `run:ID`, `approvals`, `calls`, `metrics`.",
      },
      after: { type: "string", maxLength: 200, description: "The same as `Last-Event-ID`." },
      until: { enum: ["end"], description: "End the stream once the runs of its topics have ended." },
    },
    response: "text/event-stream",
  },
} as const;

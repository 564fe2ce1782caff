/** The fields of a run, in lists and alone. */
const runFields = {
  run_id: { type: "string" },
  kind: { enum: ["chain", "agent", "call"] },
  chain: { type: "string", description: "The chain of a run of a chain." },
  runner: { type: "string", description: "The runner of an agent's run." },
  tool: { type: "string", description: "The tool of a durable call." },
  prompt: { type: "string", description: "The prompt of an agent's run." },
  conversation_id: { type: "string" },
  status: { enum: ["running", "waiting", "success", "failed", "cancelled"] },
  interrupted: { type: "boolean", description: "Its process has died; a server resumes it." },
  started_at: { type: "string", format: "date-time" },
  finished_at: { type: "string", format: "date-time" },
  duration_ms: { type: "number" },
  rerun_of: { type: "string", description: "The run that it repeats." },
  called_by: { type: "string", description: "The run whose call started it." },
  error: { $ref: "#/components/schemas/Failure" },
  waits_for: { $ref: "#/components/schemas/RunWait" },
} as const;

/** Schemas of runs of all kinds. */
export const runSchemas = {
  Run: {
    type: "object",
    properties: {
      ...runFields,
      input_preview: { type: "string", description: "In lists: the beginning of the input, except of an agent." },
    },
    required: ["run_id", "kind", "status", "started_at"],
  },
  RunDetail: {
    type: "object",
    properties: {
      ...runFields,
      input: { description: "The input of a chain, or the arguments of a call; secrets are redacted." },
      output: { description: "The output of a run that succeeded; secrets are redacted." },
      approvals: {
        type: "array",
        items: { $ref: "#/components/schemas/Approval" },
        description: "The pending approvals that it waits for.",
      },
      cancel_requested: { type: "boolean", description: "It was cancelled and has not ended yet." },
    },
    required: ["run_id", "kind", "status", "started_at", "approvals"],
  },
  RunPage: {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/Run" } },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["items", "next_cursor"],
  },
  RunLog: {
    type: "object",
    description: "Of a chain, its execution log. Of an agent, its result and prompt. Of a durable call, its result.",
  },
  StartRunRequest: {
    type: "object",
    properties: {
      input: { type: "object", description: "The input of the chain. Default: none." },
      run_id: {
        type: "string",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$",
        description: "The same id with the same input joins the run that has it.",
      },
      context: { type: "object", description: "Values for `${context.NAME}`." },
    },
    additionalProperties: false,
  },
  RerunRequest: {
    type: "object",
    properties: {
      from: { type: "string", maxLength: 500, description: "The step to start from. Default: all steps run again." },
      input: { type: "object", description: "Replaces the input of the run." },
      run_id: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$" },
      repeat_once: {
        type: "boolean",
        description: "Confirms that steps with the effect `once` run again although they do not depend on `from`.",
      },
    },
    additionalProperties: false,
  },
  RerunPreview: {
    type: "object",
    description: "What a rerun would do.",
    properties: {
      chain: { type: "string" },
      rerun: {
        type: "array",
        items: {
          type: "object",
          properties: {
            step: { type: "string" },
            tool: { type: "string" },
            effect: { enum: ["pure", "read", "idempotent", "once"] },
            below: { type: "boolean", description: "It is the step to start from, or depends on it." },
            why: { enum: ["requested", "new", "changed", "input", "unsettled", "undone", "needs"] },
            before: { type: "string", description: "Its earlier status." },
            called: { type: "boolean", description: "Its tool was called before." },
            needs: { type: "string", description: "With the reason `needs`: the step that runs again." },
          },
          required: ["step", "tool", "effect", "below", "why", "called"],
        },
      },
      reused: { type: "array", items: { type: "string" }, description: "Steps whose results are reused." },
      repeated_once: {
        type: "array",
        items: { type: "string" },
        description: "Steps that need `repeat_once`.",
      },
    },
    required: ["chain", "rerun", "reused", "repeated_once"],
  },
} as const;

/** Routes of runs of all kinds. */
export const runRoutes = {
  start_run: {
    method: "POST",
    path: "/v1/chains/{name}/runs",
    access: "run",
    summary: "Start a run of a chain. `Prefer: wait=30` waits up to 30 s for its end; 200 if it has ended.",
    body: "StartRunRequest",
    optionalBody: true,
    response: "RunDetail",
    status: 202,
    startsWork: true,
  },
  list_runs: {
    method: "GET",
    path: "/v1/runs",
    access: "read",
    summary: "List the runs, the newest first.",
    query: {
      status: { enum: ["running", "waiting", "success", "failed", "cancelled", "interrupted"] },
      kind: { enum: ["chain", "agent", "call"] },
      chain: { type: "string", maxLength: 200 },
      runner: { type: "string", maxLength: 200 },
      tool: { type: "string", maxLength: 200 },
      conversation: { type: "string", maxLength: 200 },
      since: { type: "string", format: "date-time", description: "Started at this time or later." },
      query: { type: "string", maxLength: 200, description: "Text in the id, the name or the error." },
      limit: { type: "integer", minimum: 1, maximum: 200 },
      cursor: { type: "string", maxLength: 500 },
    },
    response: "RunPage",
  },
  get_run: {
    method: "GET",
    path: "/v1/runs/{id}",
    access: "read",
    summary: "A run: its input, its output or failure, and what it waits for.",
    response: "RunDetail",
  },
  get_run_log: {
    method: "GET",
    path: "/v1/runs/{id}/log",
    access: "read",
    summary: "The log of a run.",
    response: "RunLog",
  },
  explain_run: {
    method: "GET",
    path: "/v1/runs/{id}/explain",
    access: "read",
    summary: "Explain a step of a run, or all of them. The language of the sentences follows `Accept-Language`.",
    query: {
      step: { type: "string", maxLength: 500 },
      language: { enum: ["en", "zh"] },
    },
    response: "RunExplanation",
  },
  diff_runs: {
    method: "GET",
    path: "/v1/runs/{id}/diff",
    access: "read",
    summary: "Compare a run of a chain with another one. Default: the run of the same chain before it.",
    query: { with: { type: "string", maxLength: 200 } },
    response: "RunDifference",
  },
  resume_run: {
    method: "POST",
    path: "/v1/runs/{id}/resume",
    access: "run",
    summary: "Resume a run that waits, or whose processes have died.",
    response: "RunDetail",
    status: 202,
    startsWork: true,
    resumes: true,
  },
  cancel_run: {
    method: "POST",
    path: "/v1/runs/{id}/cancel",
    access: "run",
    summary: "Cancel a run. Steps with a compensation are undone.",
    response: "RunDetail",
    status: 202,
  },
  preview_rerun: {
    method: "GET",
    path: "/v1/runs/{id}/rerun",
    access: "read",
    summary: "Preview a rerun from a step: the steps that run again, and those whose results are reused.",
    query: { from: { type: "string", maxLength: 500 } },
    response: "RerunPreview",
  },
  rerun: {
    method: "POST",
    path: "/v1/runs/{id}/rerun",
    access: "run",
    summary: "Run the current chain again, from a step or with another input; or make a durable call again.",
    body: "RerunRequest",
    optionalBody: true,
    response: "RunDetail",
    status: 202,
    startsWork: true,
  },
} as const;

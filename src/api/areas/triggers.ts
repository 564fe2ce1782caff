/** Schemas of triggers. */
export const triggerSchemas = {
  Trigger: {
    type: "object",
    properties: {
      id: { type: "string" },
      chain: { type: "string", description: "The chain that it runs." },
      kind: { enum: ["schedule", "webhook", "file"] },
      expression: { type: "string", description: "The schedule, the name of the webhook, or the pattern of paths." },
      timezone: { type: "string", description: "The time zone of a schedule. Default: that of the server." },
      overlap: { enum: ["skip", "queue", "parallel", "cancel-running"] },
      file: { type: "string", description: "The file that defines it, relative to the workspace." },
      status: { enum: ["active", "paused", "unapproved", "untrusted", "invalid"] },
      message: { type: "string", description: "Why it does not fire, and what to do." },
      last: {
        type: "object",
        description: "The latest firing that started a run.",
        properties: { at: { type: "string", format: "date-time" }, run_id: { type: "string" } },
        required: ["at", "run_id"],
      },
      next: { type: "string", format: "date-time", description: "The next time of a schedule." },
      waiting: { type: "integer", description: "Firings that wait for an earlier run." },
    },
    required: ["id", "chain", "kind", "expression", "overlap", "status", "waiting"],
  },
  TriggerPage: {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/Trigger" } },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["items", "next_cursor"],
  },
  FireTriggerRequest: {
    type: "object",
    properties: {
      event: {
        type: "object",
        description: 'What `${event.…}` reads, such as {"body": {"order": 7}}. Default: nothing.',
      },
    },
    additionalProperties: false,
  },
  Firing: {
    type: "object",
    properties: {
      trigger: { type: "string" },
      run_id: { type: "string" },
      status: {
        enum: ["waiting", "starting", "started", "ended", "skipped", "failed", "seen"],
        description:
          "started: its run was started; waiting: it waits for an earlier run; skipped and failed: see reason.",
      },
      reason: { type: "string", description: "Why it started no run." },
    },
    required: ["trigger", "run_id", "status"],
  },
  HookReply: {
    type: "object",
    properties: {
      trigger: { type: "string" },
      run_id: { type: "string" },
      repeated: { type: "boolean", description: "The same delivery came before, and started nothing again." },
      status: {
        enum: ["accepted", "skipped", "waiting", "success", "failed", "cancelled"],
        description: "accepted: the run was stored; skipped: an earlier run had not ended; otherwise that of the run.",
      },
      output: { description: "The output of the run, with `reply: output`." },
      error: { $ref: "#/components/schemas/Failure" },
      challenge: { type: "string", description: "The text that Slack expects when it checks the address." },
    },
  },
} as const;

/** Routes of triggers. */
export const triggerRoutes = {
  list_triggers: {
    method: "GET",
    path: "/v1/triggers",
    access: "read",
    summary: "List the triggers, with their last and next times.",
    query: { limit: { type: "integer", minimum: 1, maximum: 200 }, cursor: { type: "string", maxLength: 500 } },
    response: "TriggerPage",
  },
  fire_trigger: {
    method: "POST",
    path: "/v1/triggers/{id}/fire",
    access: "run",
    summary: "Fire a trigger now, also if it is paused or an earlier run has not ended.",
    body: "FireTriggerRequest",
    optionalBody: true,
    response: "Firing",
    status: 202,
    startsWork: true,
  },
  pause_trigger: {
    method: "POST",
    path: "/v1/triggers/{id}/pause",
    access: "run",
    summary: "Pause a trigger. Times of a schedule that pass in the meantime are not missed.",
    response: "Trigger",
  },
  resume_trigger: {
    method: "POST",
    path: "/v1/triggers/{id}/resume",
    access: "run",
    summary: "Resume a trigger.",
    response: "Trigger",
  },
  approve_trigger: {
    method: "POST",
    path: "/v1/triggers/{id}/approve",
    access: "admin",
    summary: "Let a trigger fire whose file was written by a tool, with its present definition.",
    response: "Trigger",
  },
  receive_hook: {
    method: "POST",
    path: "/hooks/{name}",
    access: "signature",
    summary: "Deliver an event to a webhook. The body is signed; the same delivery starts one run.",
    bytes: true,
    response: "HookReply",
    status: 202,
  },
} as const;

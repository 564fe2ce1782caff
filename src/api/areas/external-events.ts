/** Schemas of the events that are delivered to runs. */
export const externalEventSchemas = {
  SendEventRequest: {
    type: "object",
    properties: {
      data: { description: "JSON: the output of the step that waits. At most 256 KiB. Default: null." },
      event_id: {
        type: "string",
        pattern: "^[\\x21-\\x7e]{1,200}$",
        description: "An event with the same name and id is delivered to a run once. Default: a new id.",
      },
    },
    additionalProperties: false,
  },
  RunWait: {
    type: "object",
    description: "The approvals, events and time that wake a run, while its status is `waiting`.",
    properties: {
      approvals: { type: "array", items: { type: "string" }, description: "Ids; one decision wakes it." },
      events: { type: "array", items: { type: "string" }, description: "Names; one event wakes it." },
      until: { type: "string", format: "date-time", description: "It is woken at this time at the latest." },
    },
    required: ["approvals", "events"],
  },
  DeliveredEvent: {
    type: "object",
    properties: {
      run_id: { type: "string" },
      name: { type: "string" },
      event_id: { type: "string" },
      repeated: { type: "boolean", description: "The run had received this event before: nothing has changed." },
    },
    required: ["run_id", "name", "event_id", "repeated"],
  },
} as const;

/** Routes of the events that are delivered to runs. */
export const externalEventRoutes = {
  send_event: {
    method: "POST",
    path: "/v1/runs/{id}/events/{name}",
    access: "run",
    summary: "Deliver an event to a run with a step that waits for it, now or later. Its data is untrusted.",
    body: "SendEventRequest",
    optionalBody: true,
    response: "DeliveredEvent",
    status: 202,
    startsWork: true,
  },
} as const;

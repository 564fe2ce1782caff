/** Schemas of agents and conversations. */
export const agentSchemas = {
  Agent: {
    type: "object",
    properties: {
      runner: { type: "string", description: "The name in paths." },
      is_default: { type: "boolean", description: "The runner of the settings." },
      available: { type: "boolean" },
      unavailable_reason: { type: "string", description: "Why a message would be refused, such as a missing model." },
    },
    required: ["runner", "is_default", "available"],
  },
  AgentPage: {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/Agent" } },
      next_cursor: { type: ["string", "null"] },
      models: { type: "array", items: { type: "string" }, description: "The names of the models of the settings." },
    },
    required: ["items", "next_cursor", "models"],
  },
  MessageRequest: {
    type: "object",
    properties: {
      prompt: { type: "string", minLength: 1, maxLength: 1048576 },
      conversation_id: {
        type: "string",
        minLength: 1,
        maxLength: 200,
        description:
          "The conversation to continue, or to start under this id. Default: a new one, with the id of the run.",
      },
      run_id: {
        type: "string",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$",
        description: "The same id with the same prompt and conversation joins the run that has it.",
      },
      model: { type: "string", maxLength: 200, description: "A model of the settings. Default: that of the settings." },
      max_rounds: { type: "integer", minimum: 0, maximum: 1000, description: "Maximum rounds of tool calls." },
      images: {
        type: "array",
        maxItems: 20,
        items: {
          type: "object",
          properties: {
            mime_type: { enum: ["image/png", "image/jpeg", "image/gif", "image/webp"] },
            data: { type: "string", minLength: 1, description: "Base64." },
          },
          required: ["mime_type", "data"],
          additionalProperties: false,
        },
      },
      untrusted: {
        enum: ["part", "all"],
        description: "A part of the prompt, or all of it, comes from others, such as a mail.",
      },
    },
    required: ["prompt"],
    additionalProperties: false,
  },
  Conversation: {
    type: "object",
    properties: {
      conversation_id: { type: "string" },
      title: { type: "string", description: "The beginning of its first prompt." },
      principal: { type: "string", description: "The principal that started it; absent for a user at the terminal." },
      turns: { type: "integer", description: "Number of its prompts." },
      started_at: { type: "string", format: "date-time" },
      last_run: { $ref: "#/components/schemas/Run" },
    },
    required: ["conversation_id", "title", "turns", "started_at", "last_run"],
  },
  ConversationPage: {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/components/schemas/Conversation" } },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["items", "next_cursor"],
  },
  ConversationTurn: {
    type: "object",
    properties: {
      prompt: { type: "string" },
      answer: { type: "string", description: "Absent until the run has succeeded." },
      partial: { type: "string", description: "The text of an answer that will never be complete." },
      sources: { type: "array", items: { type: "object" }, description: "What the answer cites." },
      run: { $ref: "#/components/schemas/Run" },
    },
    required: ["prompt", "run"],
  },
  ConversationDetail: {
    type: "object",
    properties: {
      conversation_id: { type: "string" },
      title: { type: "string", description: "The beginning of its first prompt." },
      principal: { type: "string", description: "The principal that started it; absent for a user at the terminal." },
      turns: { type: "integer", description: "Number of its prompts." },
      started_at: { type: "string", format: "date-time" },
      last_run: { $ref: "#/components/schemas/Run" },
      items: {
        type: "array",
        items: { $ref: "#/components/schemas/ConversationTurn" },
        description: "Its turns, the newest first.",
      },
      next_cursor: { type: ["string", "null"] },
    },
    required: ["conversation_id", "title", "turns", "started_at", "last_run", "items", "next_cursor"],
  },
  ConversationRemoved: {
    type: "object",
    properties: { conversation_id: { type: "string" } },
    required: ["conversation_id"],
  },
} as const;

/** Routes of agents and conversations. */
export const agentRoutes = {
  list_agents: {
    method: "GET",
    path: "/v1/agents",
    access: "read",
    summary: "List the runners of agents, and why some of them are not available.",
    response: "AgentPage",
  },
  send_message: {
    method: "POST",
    path: "/v1/agents/{runner}/messages",
    access: "run",
    summary:
      "Send a prompt to an agent, in a new conversation or in one that exists. `Prefer: wait=30` waits up to 30 s for the end of its run; 200 if it has ended. `Accept: text/event-stream` streams the events of the run until its end. A conversation takes one message at a time.",
    body: "MessageRequest",
    response: "RunDetail",
    status: 202,
    startsWork: true,
  },
  list_conversations: {
    method: "GET",
    path: "/v1/conversations",
    access: "read",
    summary: "List the conversations, the one with the newest message first.",
    query: { limit: { type: "integer", minimum: 1, maximum: 200 }, cursor: { type: "string", maxLength: 500 } },
    response: "ConversationPage",
  },
  get_conversation: {
    method: "GET",
    path: "/v1/conversations/{id}",
    access: "read",
    summary: "A conversation: its turns with their runs, the newest first.",
    query: { limit: { type: "integer", minimum: 1, maximum: 200 }, cursor: { type: "string", maxLength: 500 } },
    response: "ConversationDetail",
  },
  delete_conversation: {
    method: "DELETE",
    path: "/v1/conversations/{id}",
    access: "run",
    summary:
      "Remove a conversation with its runs and the records of their calls. 409 while one of its runs has not ended.",
    response: "ConversationRemoved",
  },
} as const;

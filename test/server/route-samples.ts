import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RouteName } from "../../src/api/index.ts";
import type { SentRequest, ServedWorkspace } from "./serve-workspace.ts";

const mcpServer = fileURLToPath(new URL("../mcp/servers/plain-server.ts", import.meta.url));

/** The key of the signatures of the webhook. */
export const hookSecret = "c2VjcmV0LW9mLXRoZS10ZXN0cy1zZWNyZXQ=";

/** A request that is signed as Standard Webhooks prescribe. */
function signedHook(body: string): RouteSample {
  const [id, time] = [`msg_${Math.random()}`, Math.floor(Date.now() / 1000)];
  const key = Buffer.from(hookSecret, "base64");
  const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
  const headers = { "webhook-id": id, "webhook-timestamp": String(time), "webhook-signature": `v1,${signature}` };
  return { path: "/hooks/greeting", request: { token: null, body, headers } };
}

const toolIndex = new URL("../../src/tool/index.ts", import.meta.url).href;

/** One request to a route. */
export interface RouteSample {
  readonly path: string;
  readonly request?: SentRequest;
  /** Only the token of an administrator, which prepared it, has access: others get 404. */
  readonly isPrivate?: true;
  /** Expected of a bad request. */
  readonly status?: number;
}

/** The requests with which the contract test exercises a route. */
export interface RouteSamples {
  /** A request that succeeds; prepares what it needs. */
  readonly good: (served: ServedWorkspace) => RouteSample | Promise<RouteSample>;
  /** A request that is refused, with its status; undefined for a route that takes any request. */
  readonly bad: RouteSample | undefined;
}

/** The workspace of the contract test. */
export const files: Readonly<Record<string, string>> = {
  "windlass.yaml": "permissions: { ask: [delete_note] }\nsecrets: { HOOK: { file: hook.txt } }\n",
  "mcp.json": JSON.stringify({ mcpServers: { up: { command: process.execPath, args: [mcpServer] } } }),
  "hook.txt": hookSecret,
  "chains/hooked.yaml": `name: hooked
input: { text: "string = 'hi'" }
on:
  - { id: nightly, schedule: "0 3 * * *", timezone: UTC }
  - webhook: /greeting
    verify: standard
    secret: "\${secret.HOOK}"
    input: { text: "\${event.body.text}" }
steps:
  - { id: first, tool: say, params: { text: "\${input.text}" } }
`,
  "tools/echo.ts": `import { defineTool } from ${JSON.stringify(toolIndex)};
export const say = defineTool({
  name: "say", description: "Returns the text.", effect: "pure",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  run: ({ text }) => ({ text }),
});
export const remove = defineTool({
  name: "delete_note", description: "Deletes a note.", effect: "once",
  input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  run: ({ id }) => ({ deleted: id }),
});
`,
  "chains/greet.yaml": `name: greet
input: { text: "string = 'hi'" }
steps:
  - { id: first, tool: say, params: { text: "\${input.text}" } }
  - { id: second, tool: say, params: { text: "\${steps.first.output.text}!" } }
output: { said: "\${steps.second.output.text}" }
`,
  "chains/pay.yaml": `name: pay
steps: [{ id: paid, wait: { event: payment, timeout: 7d } }]
`,
  "chains/clean.yaml": `name: clean
steps:
  - { id: remove, tool: delete_note, params: { id: n1 }, approval: "Delete n1?" }
`,
};

/** A run that waits for an event. */
async function eventRun({ send }: ServedWorkspace): Promise<string> {
  const { body } = await send("POST", "/v1/chains/pay/runs", { headers: { prefer: "wait=50" } });
  return (body as { readonly run_id: string }).run_id;
}

/** A run that has ended. */
async function endedRun({ send }: ServedWorkspace): Promise<string> {
  const { body } = await send("POST", "/v1/chains/greet/runs", { headers: { prefer: "wait=50" } });
  return (body as { readonly run_id: string }).run_id;
}

/** A run that waits for an approval. */
async function waitingRun({ send }: ServedWorkspace): Promise<string> {
  const { body } = await send("POST", "/v1/chains/clean/runs", { headers: { prefer: "wait=50" } });
  return (body as { readonly run_id: string }).run_id;
}

async function pendingApproval({ send }: ServedWorkspace): Promise<string> {
  const { body } = await send("POST", "/v1/tools/delete_note/call", { body: { args: { id: "n1" } } });
  return (body as { readonly approval_id: string }).approval_id;
}

async function callId({ send }: ServedWorkspace): Promise<string> {
  const { body } = await send("POST", "/v1/tools/say/call", { body: { args: { text: "hi" } } });
  return (body as { readonly meta: { readonly call_id: string } }).meta.call_id;
}

/** The digest of the pending approval of an MCP server, whose command changed after it was connected. */
async function pendingReview({ workspace, send }: ServedWorkspace): Promise<string> {
  await workspace.sources.mcp?.refresh("up").catch(() => {});
  const changed = { mcpServers: { up: { command: process.execPath, args: [mcpServer, "good", crypto.randomUUID()] } } };
  await writeFile(join(workspace.dir, "mcp.json"), JSON.stringify(changed));
  await workspace.sources.mcp?.reload();
  const { body } = await send("GET", "/v1/mcp/servers");
  const { items } = body as { readonly items: readonly { readonly review?: { readonly digest: string } }[] };
  return items[0]?.review?.digest ?? "";
}

/** A durable call that has ended. */
async function durableCall({ send }: ServedWorkspace): Promise<string> {
  const headers = { prefer: "respond-async, wait=50", "idempotency-key": crypto.randomUUID() };
  const sent = await send("POST", "/v1/tools/say/call", { body: { args: { text: "hi" } }, headers });
  return sent.headers.get("location") ?? "";
}

/** A durable call that waits for an approval. */
async function waitingCall({ send }: ServedWorkspace): Promise<string> {
  const headers = { prefer: "respond-async, wait=50" };
  const sent = await send("POST", "/v1/tools/delete_note/call", { body: { args: { id: "n1" } }, headers });
  return sent.headers.get("location") ?? "";
}

/** A conversation whose message was answered from the notes of the workspace. */
async function conversation({ send }: ServedWorkspace): Promise<string> {
  const request = { body: { prompt: "notes about tides" }, headers: { prefer: "wait=50" } };
  const { body } = await send("POST", "/v1/agents/vault/messages", request);
  return (body as { readonly conversation_id: string }).conversation_id;
}

/** A good and a bad request for every route of the table: adding a route without them does not compile. */
export const samples: Readonly<Record<RouteName, RouteSamples>> = {
  list_tools: {
    good: () => ({ path: "/v1/tools?query=say&limit=5" }),
    bad: { path: "/v1/tools?limit=0", status: 400 },
  },
  get_tool: { good: () => ({ path: "/v1/tools/say" }), bad: { path: "/v1/tools/sey", status: 404 } },
  call_tool: {
    good: () => ({ path: "/v1/tools/say/call", request: { body: { args: { text: "hi" } } } }),
    bad: { path: "/v1/tools/say/call", request: { body: { args: { text: 1 } } }, status: 400 },
  },
  list_audit: {
    good: () => ({ path: "/v1/audit?action=token.create&limit=5" }),
    bad: { path: "/v1/audit?cursor=bm8", status: 400 },
  },
  get_call: {
    good: async (served) => ({ path: await durableCall(served) }),
    bad: { path: "/v1/calls/none", status: 404 },
  },
  cancel_call: {
    good: async (served) => ({ path: `${await waitingCall(served)}/cancel` }),
    bad: { path: "/v1/calls/none/cancel", status: 404 },
  },
  list_agents: { good: () => ({ path: "/v1/agents" }), bad: { path: "/v1/agents?x=1", status: 400 } },
  send_message: {
    good: () => ({ path: "/v1/agents/vault/messages", request: { body: { prompt: "notes about tides" } } }),
    bad: { path: "/v1/agents/unknown-runner/messages", request: { body: { prompt: "hi" } }, status: 404 },
  },
  list_conversations: {
    good: async (served) => {
      await conversation(served);
      return { path: "/v1/conversations?limit=5" };
    },
    bad: { path: "/v1/conversations?cursor=x", status: 400 },
  },
  get_conversation: {
    good: async (served) => ({ path: `/v1/conversations/${await conversation(served)}` }),
    bad: { path: "/v1/conversations/none", status: 404 },
  },
  delete_conversation: {
    good: async (served) => ({ path: `/v1/conversations/${await conversation(served)}` }),
    bad: { path: "/v1/conversations/none", status: 404 },
  },
  list_approvals: {
    good: () => ({ path: "/v1/approvals?status=pending" }),
    bad: { path: "/v1/approvals?status=odd", status: 400 },
  },
  get_approval: {
    good: async (served) => ({ path: `/v1/approvals/${await pendingApproval(served)}` }),
    bad: { path: "/v1/approvals/none", status: 404 },
  },
  decide_approval: {
    good: async (served) => ({
      path: `/v1/approvals/${await pendingApproval(served)}`,
      request: { body: { decision: "approve" } },
    }),
    bad: { path: "/v1/approvals/none", request: { body: { decision: "approve" } }, status: 404 },
  },
  list_tokens: { good: () => ({ path: "/v1/tokens?limit=5" }), bad: { path: "/v1/tokens?limit=201", status: 400 } },
  create_token: {
    good: () => ({
      path: "/v1/tokens",
      request: { body: { name: "ci", scopes: ["read", "call"], expires_in_ms: 60_000 } },
    }),
    bad: { path: "/v1/tokens", request: { body: { name: "ci", scopes: ["all"] } }, status: 400 },
  },
  revoke_token: {
    good: async ({ workspace }) => {
      const { stored } = await workspace.tokens.create({ name: "ci", scopes: ["read"] });
      return { path: `/v1/tokens/${stored.id}` };
    },
    bad: { path: "/v1/tokens/none", status: 404 },
  },
  create_session: {
    good: ({ server }) => ({
      path: "/v1/session",
      request: { token: null, body: { code: server.createSessionCode({ name: "ann", scopes: ["read"] }) } },
    }),
    bad: { path: "/v1/session", request: { token: null, body: { code: "wrong" } }, status: 401 },
  },
  stream_events: {
    good: async (served) => ({ path: `/v1/events?topics=run:${await endedRun(served)}&until=end` }),
    bad: { path: "/v1/events?topics=run:none", status: 404 },
  },
  list_records: { good: () => ({ path: "/v1/records?tool=say" }), bad: { path: "/v1/records?since=x", status: 400 } },
  get_record: {
    good: async (served) => ({ path: `/v1/records/${await callId(served)}` }),
    bad: { path: "/v1/records/none", status: 404 },
  },
  get_stats: { good: () => ({ path: "/v1/stats" }), bad: { path: "/v1/stats?x=1", status: 400 } },
  get_metrics: { good: () => ({ path: "/v1/metrics" }), bad: { path: "/v1/metrics?x=1", status: 400 } },
  list_mcp_servers: {
    good: () => ({ path: "/v1/mcp/servers" }),
    bad: { path: "/v1/mcp/servers?x=1", status: 400 },
  },
  approve_mcp_server: {
    good: async (served) => ({
      path: "/v1/mcp/servers/up/approve",
      request: { body: { digest: await pendingReview(served) } },
    }),
    bad: { path: "/v1/mcp/servers/none/approve", request: { body: { digest: "x" } }, status: 404 },
  },
  reconnect_mcp_server: {
    good: async (served) => {
      const digest = await pendingReview(served);
      await served.send("POST", "/v1/mcp/servers/up/approve", { body: { digest } });
      return { path: "/v1/mcp/servers/up/reconnect" };
    },
    bad: { path: "/v1/mcp/servers/none/reconnect", status: 404 },
  },
  get_result: {
    good: async ({ workspace }) => {
      const handle = await workspace.resultStore.put({ tool: "say", output: { text: "hi" } }, { principal: "admin" });
      return { path: `/v1/results/${handle}`, isPrivate: true };
    },
    bad: { path: "/v1/results/result:none", status: 404 },
  },
  upload_file: {
    good: () => ({
      path: "/v1/files?name=a.txt",
      request: { body: "hello", headers: { "content-type": "text/plain" } },
    }),
    bad: { path: "/v1/files", request: { body: "hello", headers: { "content-type": "text" } }, status: 415 },
  },
  prometheus: { good: () => ({ path: "/metrics" }), bad: { path: "/metrics?x=1", status: 400 } },
  get_doctor: { good: () => ({ path: "/v1/doctor" }), bad: { path: "/v1/doctor?x=1", status: 400 } },
  get_schema: { good: () => ({ path: "/v1/schemas/chain" }), bad: { path: "/v1/schemas/none", status: 404 } },
  openapi: { good: () => ({ path: "/openapi.json" }), bad: { path: "/openapi.json?x=1", status: 400 } },
  healthz: { good: () => ({ path: "/healthz" }), bad: { path: "/healthz?x=1", status: 400 } },
  readyz: { good: () => ({ path: "/readyz" }), bad: { path: "/readyz?x=1", status: 400 } },
  start_run: {
    good: () => ({ path: "/v1/chains/greet/runs", request: { body: { input: { text: "hello" } } } }),
    bad: { path: "/v1/chains/greet/runs", request: { body: { input: { text: 1 } } }, status: 400 },
  },
  list_runs: {
    good: async (served) => ({ path: `/v1/runs?chain=greet&query=${await endedRun(served)}` }),
    bad: { path: "/v1/runs?cursor=bm8", status: 400 },
  },
  get_run: {
    good: async (served) => ({ path: `/v1/runs/${await waitingRun(served)}` }),
    bad: { path: "/v1/runs/none", status: 404 },
  },
  get_run_log: {
    good: async (served) => ({ path: `/v1/runs/${await endedRun(served)}/log` }),
    bad: { path: "/v1/runs/none/log", status: 404 },
  },
  get_run_events: {
    good: async (served) => ({ path: `/v1/runs/${await endedRun(served)}/events` }),
    bad: { path: "/v1/runs/none/events", status: 404 },
  },
  explain_run: {
    good: async (served) => ({ path: `/v1/runs/${await endedRun(served)}/explain?step=second` }),
    bad: { path: "/v1/runs/none/explain", status: 404 },
  },
  diff_runs: {
    good: async (served) => {
      const before = await endedRun(served);
      return { path: `/v1/runs/${await endedRun(served)}/diff?with=${before}` };
    },
    bad: { path: "/v1/runs/none/diff", status: 404 },
  },
  resume_run: {
    good: async (served) => ({ path: `/v1/runs/${await waitingRun(served)}/resume` }),
    bad: { path: "/v1/runs/none/resume", status: 404 },
  },
  cancel_run: {
    good: async (served) => ({ path: `/v1/runs/${await waitingRun(served)}/cancel` }),
    bad: { path: "/v1/runs/none/cancel", status: 404 },
  },
  send_event: {
    good: async (served) => ({
      path: `/v1/runs/${await eventRun(served)}/events/payment`,
      request: { body: { data: { amount: 20 }, event_id: "p1" } },
    }),
    bad: { path: "/v1/runs/none/events/payment", request: { body: { data: 1 } }, status: 404 },
  },
  preview_rerun: {
    good: async (served) => ({ path: `/v1/runs/${await endedRun(served)}/rerun?from=second` }),
    bad: { path: "/v1/runs/none/rerun?from=a", status: 404 },
  },
  rerun: {
    good: async (served) => ({
      path: `/v1/runs/${await endedRun(served)}/rerun`,
      request: { body: { from: "second" } },
    }),
    bad: { path: "/v1/runs/none/rerun", status: 404 },
  },
  list_chains: { good: () => ({ path: "/v1/chains?limit=3" }), bad: { path: "/v1/chains?limit=201", status: 400 } },
  get_chain: { good: () => ({ path: "/v1/chains/greet" }), bad: { path: "/v1/chains/gret", status: 404 } },
  save_chain: {
    good: async ({ send }) => {
      const { text, headers } = await send("GET", "/v1/chains/greet");
      const request = { body: { text: `${text}# more\n` }, headers: { "if-match": headers.get("etag") ?? "" } };
      return { path: "/v1/chains/greet", request };
    },
    bad: { path: "/v1/chains/greet", request: { body: { text: "name: greet" } }, status: 400 },
  },
  validate_chain: {
    good: () => ({ path: "/v1/chains:validate", request: { body: { text: "name: x\nsteps: 5\n" } } }),
    bad: { path: "/v1/chains:validate", request: { body: {} }, status: 400 },
  },
  get_chain_graph: {
    good: () => ({ path: "/v1/chains/greet/graph" }),
    bad: { path: "/v1/chains/greet/graph?format=png", status: 400 },
  },
  list_triggers: { good: () => ({ path: "/v1/triggers?limit=5" }), bad: { path: "/v1/triggers?limit=0", status: 400 } },
  fire_trigger: {
    good: () => ({ path: "/v1/triggers/nightly/fire", request: { body: { event: { time: "now" } } } }),
    bad: { path: "/v1/triggers/nightli/fire", status: 404 },
  },
  pause_trigger: {
    good: () => ({ path: "/v1/triggers/nightly/pause" }),
    bad: { path: "/v1/triggers/none/pause", status: 404 },
  },
  resume_trigger: {
    good: () => ({ path: "/v1/triggers/nightly/resume" }),
    bad: { path: "/v1/triggers/none/resume", status: 404 },
  },
  approve_trigger: {
    good: () => ({ path: "/v1/triggers/nightly/approve" }),
    bad: { path: "/v1/triggers/none/approve", status: 404 },
  },
  receive_hook: {
    good: () => signedHook('{"text": "hello"}'),
    bad: { path: "/hooks/greeting", request: { token: null, body: { text: "hello" } }, status: 401 },
  },
};

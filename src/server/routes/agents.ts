import { type WireValue, runTopic } from "../../api/index.ts";
import { type Workspace, principalOfRun, promptOfRun, toWireRun } from "../../app/index.ts";
import { agentTable } from "../../agent/index.ts";
import { KeyedMutex, isFailureError } from "../../base/index.ts";
import { unknownModel } from "../../model/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type StoredConversation, type StoredRun, isFinished } from "../../store/index.ts";
import { cutText } from "../../text/index.ts";
import type { EventHub } from "../events/event-hub.ts";
import { Subscription } from "../events/subscription.ts";
import { asWire } from "../request/as-wire.ts";
import type { Caller } from "../request/caller.ts";
import { type Handlers, type ServerRequest, refusal, startedWork } from "../request/handler.ts";
import { decodeCursor, encodeCursor } from "../request/page.ts";
import type { RunWorker } from "../request/run-worker.ts";
import { streamHeaders } from "./events.ts";
import { positionOf } from "./runs.ts";
import { started } from "./started-run.ts";

type AgentRouteName =
  | "list_agents"
  | "send_message"
  | "list_conversations"
  | "get_conversation"
  | "delete_conversation";

/** Agents and conversations: send a message, look back, remove. The worker executes the runs. */
export function agentRoutes(worker: RunWorker, hub: EventHub): Handlers<AgentRouteName> {
  const sending = new KeyedMutex();
  return {
    list_agents: async ({ workspace }) => ({
      items: await Promise.all(agentTable.runner.choices.map((runner) => toWireRunner(workspace, runner))),
      next_cursor: null,
      models: [...workspace.models.names],
    }),
    send_message: async (request) => {
      const { conversation_id: id } = request.body;
      // Another message may be sent to the same conversation at the same time.
      const send = (): Promise<string> => startedWork(request, submit);
      const runId = await (id === undefined ? send() : sending.run(id, send));
      if (!acceptsEvents(request.headers)) return started(request, runId, worker);
      worker.start();
      return streamRun(request, runId, hub);
    },
    list_conversations: listConversations,
    get_conversation: getConversation,
    delete_conversation: async ({ workspace, params: { id }, caller }) => {
      requireOwn(await requireConversation(workspace, id), caller);
      const { conversations } = await workspace.agents();
      const removal = await sending.run(id, () => conversations.remove(id));
      if (removal === "unknown") throw unknownConversation(id);
      if (removal === "unfinished")
        throw refusal("conflict", `conversation ${id} has a run that has not ended; wait for it, or cancel it first`);
      return { conversation_id: id };
    },
  };
}

function acceptsEvents(headers: Headers): boolean {
  return /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(headers.get("accept") ?? "");
}

/** The events of a run until its end, as `GET /v1/events?topics=run:ID` sends them. */
async function streamRun(
  { workspace, headers, signal }: ServerRequest<"send_message">,
  runId: string,
  hub: EventHub,
): Promise<Response> {
  const run = await workspace.runs.find(runId);
  if (run === undefined) throw refusal("run_not_found", `run ${runId} was removed`);
  const after = headers.get("last-event-id") ?? undefined;
  const topics = [runTopic(runId)];
  const stream = new Subscription(hub, workspace, { topics, runs: [run], after, untilEnd: true });
  const location = `/v1/runs/${encodeURIComponent(runId)}`;
  return new Response(stream.open(signal), { headers: { ...streamHeaders, location } });
}

async function toWireRunner(workspace: Workspace, runner: string): Promise<WireValue<"Agent">> {
  const { runs, spec } = await workspace.agent({ runner });
  const why = runs.whyUnavailable(spec);
  const reason = why === undefined ? {} : { unavailable_reason: workspace.engine.redactor.text(why) };
  const isDefault = runner === (workspace.config.agent.runner ?? agentTable.runner.default);
  return { runner, is_default: isDefault, available: why === undefined, ...reason };
}

/** Stores the run of a message; returns its id. */
async function submit(request: ServerRequest<"send_message">): Promise<string> {
  const { workspace, params, body, caller, work } = request;
  const { conversation_id: conversationId, run_id: runId = work?.id, images, untrusted, prompt } = body;
  if (prompt.trim() === "") throw refusal("bad_request", "the prompt is empty");
  const agent = await openAgent(workspace, params.runner, body);
  if (conversationId !== undefined) await checkFree(conversationId, request);
  const submitted = await agent.submit(prompt, {
    callerType: "api",
    principal: caller.principal,
    ...(conversationId !== undefined && { conversationId }),
    ...(runId !== undefined && { runId }),
    ...(images !== undefined && { images: images.map(toImage) }),
    ...(untrusted === "part" && { tainted: true }),
    ...(untrusted === "all" && { untrusted: true }),
  });
  return submitted.runId;
}

async function openAgent(
  workspace: Workspace,
  runner: string,
  { model, max_rounds: maxRounds }: WireValue<"MessageRequest">,
): ReturnType<Workspace["agent"]> {
  const { names } = workspace.models;
  if (model !== undefined && !names.includes(model)) throw refusal("bad_request", unknownModel(model, names));
  const options = { ...(model !== undefined && { model }), ...(maxRounds !== undefined && { maxRounds }) };
  try {
    return await workspace.agent({ runner, ...options });
  } catch (error) {
    // The other options were checked.
    if (isFailureError(error) && error.code === "validation_error") throw refusal("not_found", error.message);
    throw error;
  }
}

function toImage({ mime_type: mimeType, data }: NonNullable<WireValue<"MessageRequest">["images"]>[number]): {
  readonly mimeType: string;
  readonly data: string;
} {
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(data) && data.length % 4 === 0) return { mimeType, data };
  throw refusal("bad_request", "the data of an image is not base64");
}

/** Throws if the conversation is another principal's, or answers another message. */
async function checkFree(id: string, { workspace, caller, body }: ServerRequest<"send_message">): Promise<void> {
  const [last] = await workspace.runs.list({ conversation: id, limit: 1 });
  if (last === undefined) return;
  requireOwn(await requireConversation(workspace, id), caller);
  for (const status of ["running", "waiting"] as const) {
    const [underWay] = await workspace.runs.list({ conversation: id, status, limit: 1 });
    // The same message is sent again.
    if (underWay === undefined || underWay.id === body.run_id) continue;
    const detail = `run ${underWay.id} answers another message of conversation ${id} (${status}); wait for it, or cancel it`;
    throw refusal("conflict", detail, { run_id: underWay.id, reason: "message_under_way" });
  }
}

/** A conversation with its first and its last run. */
interface OpenedConversation extends StoredConversation {
  readonly first: StoredRun;
  readonly last: StoredRun;
}

async function requireConversation(workspace: Workspace, id: string): Promise<OpenedConversation> {
  const stored = await (await workspace.agents()).conversations.find(id);
  const opened = stored && (await openConversation(workspace, stored));
  if (opened === undefined) throw unknownConversation(id);
  return opened;
}

/** Undefined if it was removed in the meantime. */
async function openConversation(
  workspace: Workspace,
  stored: StoredConversation,
): Promise<OpenedConversation | undefined> {
  const [first, last] = await Promise.all([stored.firstRun, stored.lastRun].map((id) => workspace.runs.find(id)));
  return first && last && { ...stored, first, last };
}

function unknownConversation(id: string): Error {
  return refusal("not_found", `there is no conversation ${JSON.stringify(id)}; GET /v1/conversations lists them`);
}

/** Throws if another principal started the conversation: only an administrator may continue or remove it then. */
function requireOwn({ id, first }: OpenedConversation, caller: Caller): void {
  const owner = principalOfRun(first);
  if (owner === caller.principal || caller.scopes.has("admin")) return;
  const whose = owner === undefined ? "a user at the terminal" : `"${owner}"`;
  throw refusal(
    "forbidden",
    `conversation ${id} was started by ${whose}; start another one, or use a token with the scope "admin"`,
  );
}

async function listConversations({
  workspace,
  query,
}: ServerRequest<"list_conversations">): Promise<WireValue<"ConversationPage">> {
  const { limit = 50, cursor } = query;
  const before = cursor === undefined ? {} : { before: numberIn(cursor) };
  const found = await (await workspace.agents()).conversations.list({ ...before, limit: limit + 1 });
  const page = found.slice(0, limit);
  const items = await Promise.all(page.map((stored) => openConversation(workspace, stored)));
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    items: items.flatMap((item) => (item === undefined ? [] : [toWireConversation(workspace, item)])),
    next_cursor: last === undefined ? null : encodeCursor(String(last.position)),
  };
}

function numberIn(cursor: string): number {
  const text = decodeCursor(cursor);
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw refusal("bad_request", "the cursor is not one that a list returned");
}

const titleLength = 100;

function toWireConversation(workspace: Workspace, conversation: OpenedConversation): WireValue<"Conversation"> {
  const { id, runs, first, last } = conversation;
  const { redactor } = workspace.engine;
  const principal = principalOfRun(first);
  return {
    conversation_id: id,
    title: cutText(redactor.knownText(promptOfRun(first)), titleLength, { at: "word" }).text,
    ...(principal !== undefined && { principal }),
    turns: runs,
    started_at: new Date(first.startedAt).toISOString(),
    last_run: asWire<"Run">(toWireRun(last, { redactor, abandoned: new Set() })),
  };
}

async function getConversation({
  workspace,
  params,
  query,
}: ServerRequest<"get_conversation">): Promise<WireValue<"ConversationDetail">> {
  const conversation = await requireConversation(workspace, params.id);
  const { limit = 50, cursor } = query;
  const after = cursor === undefined ? {} : { after: positionOf(cursor) };
  const found = await workspace.runs.list({ conversation: params.id, ...after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const abandoned = await workspace.runs.list({ conversation: params.id, abandoned: true });
  const context = { redactor: workspace.engine.redactor, abandoned: new Set(abandoned.map(({ id }) => id)) };
  const runs = await Promise.all(page.map((run) => wholeRun(workspace, run)));
  return {
    ...toWireConversation(workspace, conversation),
    items: runs.map((run) => toWireTurn(run, context)),
    next_cursor: last === undefined ? null : encodeCursor(`${last.startedAt} ${last.id}`),
  };
}

/** A list omits large outputs. */
async function wholeRun({ runs }: Workspace, run: StoredRun): Promise<StoredRun> {
  if (run.output !== undefined || !isFinished(run.status)) return run;
  return (await runs.find(run.id)) ?? run;
}

function toWireTurn(run: StoredRun, context: Parameters<typeof toWireRun>[1]): WireValue<"ConversationTurn"> {
  const { redactor } = context;
  const output: unknown = run.output === undefined ? undefined : redactor.value(JSON.parse(run.output));
  const { answer, partial, sources } = isRecord(output) ? output : {};
  return asWire<"ConversationTurn">({
    prompt: redactor.knownText(promptOfRun(run)),
    ...(answer !== undefined && { answer }),
    ...(partial !== undefined && { partial }),
    ...(sources !== undefined && { sources }),
    run: toWireRun(run, context),
  });
}

import type { WireValue } from "../../api/index.ts";
import { type Workspace, toWireTrigger } from "../../app/index.ts";
import { isFailureError } from "../../base/index.ts";
import { type FiringOutcome, type TriggerInfo, unknownTrigger } from "../../trigger/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, type Reply, type ServerRequest, refusal } from "../request/handler.ts";
import { pageOf } from "../request/page.ts";
import type { RunWorker } from "../request/run-worker.ts";

type TriggerRouteName =
  | "list_triggers"
  | "fire_trigger"
  | "pause_trigger"
  | "resume_trigger"
  | "approve_trigger"
  | "receive_hook";

type Change = "pause" | "resume" | "approve";
type ChangeRequest = Pick<ServerRequest<"pause_trigger">, "workspace" | "params">;

/** Triggers: list, fire, pause, approve; and the webhooks themselves. */
export function triggerRoutes(worker: Pick<RunWorker, "stopping">): Handlers<TriggerRouteName> {
  return {
    list_triggers: async ({ workspace, query }) => {
      const page = pageOf(await sorted(workspace), query, ({ id }) => id);
      return { ...page, items: page.items.map((trigger) => asWire<"Trigger">(toWireTrigger(trigger))) };
    },
    fire_trigger: async ({ workspace, params, body, caller, work }) => {
      const event = body.event === undefined ? {} : { event: { ...body.event } };
      const once = work === undefined ? {} : { key: work.id };
      const how = { ...event, ...once, principal: caller.principal };
      return toWireFiring(await known(workspace.triggers.fire(params.id, how)));
    },
    pause_trigger: (request) => change(request, "pause"),
    resume_trigger: (request) => change(request, "resume"),
    approve_trigger: (request) => change(request, "approve"),
    receive_hook: (request) => receive(request, worker.stopping),
  };
}

/** By id: a page begins after the last id of the one before. */
async function sorted({ triggers }: Workspace): Promise<readonly TriggerInfo[]> {
  return (await triggers.list()).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function change({ workspace, params }: ChangeRequest, how: Change): Promise<WireValue<"Trigger">> {
  await known(workspace.triggers[how](params.id));
  const changed = (await workspace.triggers.list()).find(({ id }) => id === params.id);
  if (changed === undefined) throw refusal("not_found", `the trigger ${params.id} was removed in the meantime`);
  return asWire<"Trigger">(toWireTrigger(changed));
}

/** Refusals as problems of these routes. */
async function known<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isFailureError(error)) throw error;
    if (error.reason === unknownTrigger) throw refusal("not_found", error.message);
    if (error.reason === "inactive_trigger") throw refusal("conflict", error.message, { reason: error.reason });
    throw error;
  }
}

function toWireFiring({ triggerId, runId, status, reason }: FiringOutcome): WireValue<"Firing"> {
  return asWire<"Firing">({ trigger: triggerId, run_id: runId, status, ...(reason !== undefined && { reason }) });
}

/** Time that `reply: output` waits for. */
const maxWaitMs = 30_000;

async function receive(
  { workspace, params, bytes, query, headers, signal }: ServerRequest<"receive_hook">,
  stopping: AbortSignal,
): Promise<Reply<WireValue<"HookReply">>> {
  const { name } = params;
  const request = { headers: Object.fromEntries(headers), query: { ...query }, body: bytes };
  const delivered = await workspace.triggers.deliver(name, request);
  if (delivered.kind === "unknown") throw refusal("not_found", `there is no webhook ${JSON.stringify(name)}`);
  if (delivered.kind === "unverified")
    throw refusal("unauthorized", "the signature is not valid, or older than five minutes");
  if (delivered.kind === "challenge") return reply(200, { challenge: delivered.challenge });
  const { firing, waitsForOutput } = delivered;
  const { triggerId, runId, isRepeated, reason } = firing;
  if (firing.status === "failed")
    throw refusal("conflict", `this delivery started no run: ${reason ?? "it failed"}`, { run_id: runId });
  const about = { trigger: triggerId, run_id: runId, repeated: isRepeated };
  if (firing.status === "skipped") return reply(202, { ...about, status: "skipped" });
  if (!waitsForOutput) return reply(202, { ...about, status: "accepted" });
  const run = await endOf(workspace, runId, AbortSignal.any([signal, stopping, AbortSignal.timeout(maxWaitMs)]));
  if (run === undefined) return reply(202, { ...about, status: "accepted" });
  const { status, output, error } = run;
  return reply(status === "waiting" ? 202 : 200, {
    ...about,
    status,
    ...(status === "success" && { output: workspace.engine.redactor.value(output) }),
    ...(error !== undefined && { error: workspace.engine.redactor.value(error) }),
  });
}

/** The result of the run; undefined if it has not ended in time, or waits for earlier ones. */
async function endOf({ triggers }: ServerRequest<"receive_hook">["workspace"], runId: string, signal: AbortSignal) {
  try {
    return await triggers.result(runId, signal);
  } catch (error) {
    if (signal.aborted || (isFailureError(error) && error.code === "run_not_found")) return undefined;
    throw error;
  }
}

function reply(status: number, body: Readonly<Record<string, unknown>>): Reply<WireValue<"HookReply">> {
  return { reply: true, status, body: asWire<"HookReply">(body) };
}

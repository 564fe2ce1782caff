import { type WireValue, toProblem } from "../../api/index.ts";
import {
  type InspectedRun,
  type Workspace,
  inspectRun,
  listOpenApprovals,
  toWireApproval,
  toWireCall,
} from "../../app/index.ts";
import { isFinished } from "../../store/index.ts";
import { toWireResult } from "../../tool/index.ts";
import { asWire } from "../request/as-wire.ts";
import {
  type Handlers,
  ProblemError,
  type Reply,
  type ServerRequest,
  refusal,
  startedWork,
} from "../request/handler.ts";
import { unfinishedWork } from "../request/unfinished-work.ts";
import type { RunWorker } from "../request/run-worker.ts";
import { appliedPreferences, preferredWaitMs, prefersAsync, waitForRun } from "../request/waiting.ts";

/** Durable calls: read one, cancel it. */
export function callRoutes(worker: RunWorker): Handlers<"get_call" | "cancel_call"> {
  return {
    get_call: async (request) => {
      const { workspace, params, headers, signal } = request;
      await requireCall(workspace, params.id);
      await waitForRun({ workspace, runId: params.id, signal, worker, waitMs: preferredWaitMs(headers) });
      const body = await toWire(await requireCall(workspace, params.id));
      return { reply: true, headers: appliedPreferences(headers), body };
    },
    cancel_call: async (request) => {
      const { workspace, params, caller } = request;
      const { run } = await requireCall(workspace, params.id);
      const isRequested = await workspace.calls.cancel(run.id, caller.principal);
      const { run: ended } = await requireCall(workspace, params.id);
      if (!isRequested && ended.status !== "cancelled")
        throw refusal("conflict", `call ${run.id} has already ended: ${ended.status}`, { run_id: run.id });
      return accepted(request, params.id, worker);
    },
  };
}

/** Makes a call that survives this process, and returns its result, or its state if the client does not wait for the result. */
export async function callDurably(
  request: ServerRequest<"call_tool">,
  tool: string,
  worker: RunWorker,
): Promise<Reply<WireValue<"CallResult">>> {
  const { workspace, headers, signal } = request;
  const runId = await startedWork(request, () => submit(request, tool));
  worker.start();
  const prefersState = prefersAsync(headers) || preferredWaitMs(headers) > 0;
  const waitMs = prefersState ? preferredWaitMs(headers) : Infinity;
  await waitForRun({ workspace, runId, signal, worker, waitMs });
  const inspected = await requireCall(workspace, runId);
  if (!isFinished(inspected.run.status)) {
    if (prefersState) {
      // Its body is a `Call`, as the route declares for the status 202: also if the call has ended in this moment.
      const state: Reply<unknown> = { ...(await accepted(request, runId)), status: 202 };
      return state as Reply<WireValue<"CallResult">>;
    }
    if (worker.stopping.aborted)
      throw refusal("shutting_down", `the server is shutting down; the call continues: GET /v1/calls/${runId}`, {
        run_id: runId,
      });
    throw await unfinishedWork(inspected);
  }
  const { result } = await workspace.calls.inspect(runId);
  if (result === undefined) throw refusal("internal_error", `call ${runId} has no result`, { run_id: runId });
  const { redactor } = workspace.engine;
  if (!result.success) {
    const error = { ...result.error, message: redactor.text(result.error.message) };
    throw new ProblemError(toProblem(error, { run_id: runId }), locationOf(runId));
  }
  const body = asWire<"CallResult">(redactor.value(toWireResult(result)) as Record<string, unknown>);
  return { reply: true, status: 200, headers: { ...locationOf(runId), ...appliedPreferences(headers) }, body };
}

async function submit({ workspace, body, caller, work }: ServerRequest<"call_tool">, tool: string): Promise<string> {
  const { conversation_id: conversationId, timeout_ms: timeoutMs } = body;
  const { runId } = await workspace.calls.submit(tool, body.args ?? {}, {
    callerType: "api",
    principal: caller.principal,
    ...(work !== undefined && { runId: work.id }),
    ...(conversationId !== undefined && { conversationId }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  return runId;
}

/** The state of a call, after the time that the client prefers to wait. */
async function accepted(
  { workspace, headers, signal }: Pick<ServerRequest<"cancel_call">, "workspace" | "headers" | "signal">,
  runId: string,
  worker?: RunWorker,
): Promise<Reply<WireValue<"Call">>> {
  if (worker !== undefined) {
    worker.start();
    await waitForRun({ workspace, runId, signal, worker, waitMs: preferredWaitMs(headers) });
  }
  const body = await toWire(await requireCall(workspace, runId));
  const status = isFinished(body.status) ? 200 : 202;
  return { reply: true, status, headers: { ...locationOf(runId), ...appliedPreferences(headers) }, body };
}

async function requireCall(workspace: Workspace, id: string): Promise<InspectedRun> {
  const inspected = await inspectRun(workspace, id);
  if (inspected?.run.kind === "call") return inspected;
  const detail =
    inspected === undefined
      ? `there is no call ${JSON.stringify(id)}; GET /v1/runs?kind=call lists the durable calls`
      : `run ${id} is not one of a single call; GET /v1/runs/${id} describes it`;
  throw refusal("run_not_found", detail);
}

async function toWire({ workspace, run, isInterrupted }: InspectedRun): Promise<WireValue<"Call">> {
  const isOpen = !isFinished(run.status);
  const approvals = isOpen ? await listOpenApprovals(workspace, run.id) : [];
  const { kind: _kind, ...call } = toWireCall(await workspace.calls.inspect(run.id), run, workspace);
  return asWire<"Call">({
    ...call,
    ...(isInterrupted && { interrupted: true }),
    approvals: approvals.map(toWireApproval),
    ...(isOpen && run.cancelRequested && { cancel_requested: true }),
  });
}

function locationOf(runId: string): { readonly location: string } {
  return { location: `/v1/calls/${encodeURIComponent(runId)}` };
}

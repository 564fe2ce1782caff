import type { WireValue } from "../../api/index.ts";
import { type InspectedRun, inspectRun, listOpenApprovals, toWireApprovals, toWireRun } from "../../app/index.ts";
import { type RunKindId, isFinished } from "../../store/index.ts";
import { asWire } from "../request/as-wire.ts";
import type { Caller } from "../request/caller.ts";
import { type Reply, type ServerRequest, refusal } from "../request/handler.ts";
import type { RunWorker } from "../request/run-worker.ts";
import { appliedPreferences, preferredWaitMs, waitForRun } from "../request/waiting.ts";

/** A request that names a run. */
export type RunRequest = Pick<ServerRequest<"get_run">, "workspace" | "params" | "caller">;

/** The run that a request names. Throws a problem if there is none, if its token may not open it, or if it is of another kind. */
export async function requireRun({ workspace, params, caller }: RunRequest, kind?: RunKindId): Promise<InspectedRun> {
  const inspected = mayOpen(caller, params.id) ? await inspectRun(workspace, params.id) : undefined;
  if (inspected === undefined)
    throw refusal("run_not_found", `there is no run ${JSON.stringify(params.id)}; GET /v1/runs lists the runs`);
  const { run } = inspected;
  if (kind === undefined || run.kind === kind) return inspected;
  throw refusal("bad_request", `run ${run.id} is of the kind "${run.kind}"; this route is for runs of chains`);
}

/** A token may open only one run. */
function mayOpen({ runId }: Caller, requested: string): boolean {
  return runId === undefined || runId === requested;
}

/** A run on the wire, with its input, its output and its pending approvals. */
export async function toWireDetail({ workspace, run, isInterrupted }: InspectedRun): Promise<WireValue<"RunDetail">> {
  const { redactor } = workspace.engine;
  const abandoned = new Set(isInterrupted ? [run.id] : []);
  const isOpen = !isFinished(run.status);
  const approvals = isOpen ? await listOpenApprovals(workspace, run.id) : [];
  return asWire<"RunDetail">({
    ...toWireRun(run, { redactor, abandoned }),
    // The input of an agent is its prompt, which the run has already.
    ...(run.kind !== "agent" && { input: redactor.value(JSON.parse(run.input)) }),
    ...(run.output !== undefined && { output: redactor.value(JSON.parse(run.output)) }),
    approvals: await toWireApprovals(approvals, workspace.approvals),
    ...(isOpen && run.cancelRequested && { cancel_requested: true }),
  });
}

/** Starts the worker, waits for the end of the run as long as the client prefers, and returns the run. */
export async function started(
  request: Pick<ServerRequest<"get_run">, "workspace" | "caller" | "headers" | "signal">,
  id: string,
  worker: RunWorker,
): Promise<Reply<WireValue<"RunDetail">>> {
  worker.start();
  const { workspace, caller, headers, signal } = request;
  await waitForRun({ workspace, runId: id, signal, worker, waitMs: preferredWaitMs(headers) });
  const body = await toWireDetail(await requireRun({ workspace, params: { id }, caller }));
  return {
    reply: true,
    status: isFinished(body.status) ? 200 : 202,
    headers: { location: `/v1/runs/${encodeURIComponent(id)}`, ...appliedPreferences(headers) },
    body,
  };
}

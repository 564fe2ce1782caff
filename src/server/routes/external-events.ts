import { isFailureError } from "../../base/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, type ServerRequest, refusal } from "../request/handler.ts";
import type { RunWorker } from "../request/run-worker.ts";

/** Events for runs. The worker continues a run that an event has woken. */
export function externalEventRoutes(worker: RunWorker): Handlers<"send_event"> {
  return {
    send_event: async (request) => {
      const { runId, name, id, isRepeated } = await deliver(request);
      worker.start();
      const body = { run_id: runId, name, event_id: id, repeated: isRepeated };
      return { reply: true, status: 202, body: asWire<"DeliveredEvent">(body) };
    },
  };
}

async function deliver({ workspace, params, body, caller, work }: ServerRequest<"send_event">) {
  const { id: runId, name } = params;
  if (caller.runId !== undefined && caller.runId !== runId)
    throw refusal("run_not_found", `there is no run ${JSON.stringify(runId)}; GET /v1/runs lists the runs`);
  try {
    return await workspace.runs.deliver(runId, { name, data: body.data, id: body.event_id ?? work?.id });
  } catch (error) {
    if (!isFailureError(error)) throw error;
    const { message, reason } = error;
    if (reason === "run_ended") throw refusal("conflict", message, { reason, run_id: runId });
    if (reason === "event_too_large") throw refusal("too_large", message, { reason });
    throw error;
  }
}

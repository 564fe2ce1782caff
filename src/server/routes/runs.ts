import type { WireValue } from "../../api/index.ts";
import {
  type Workspace,
  explainRun,
  locateExpression,
  replayEvents,
  runNameFields,
  toWireRun,
  toWireRunLog,
} from "../../app/index.ts";
import { cliCommand, isFailureError } from "../../base/index.ts";
import { diffRuns, repeatedOnceSteps } from "../../chain/index.ts";
import type { RunKindId, RunQuery, StoredRun } from "../../store/index.ts";
import type { Language } from "../../text/index.ts";
import { snakeKeys } from "../../tool/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, type ServerRequest, refusal, startedWork } from "../request/handler.ts";
import { decodeCursor, encodeCursor } from "../request/page.ts";
import type { RunWorker } from "../request/run-worker.ts";
import { requirePlan } from "./chains.ts";
import { requireRun, started, toWireDetail } from "./started-run.ts";

type RunRouteName =
  | "start_run"
  | "list_runs"
  | "get_run"
  | "get_run_log"
  | "get_run_events"
  | "explain_run"
  | "diff_runs"
  | "resume_run"
  | "cancel_run"
  | "preview_rerun"
  | "rerun"
  | "send_event";

/** Runs of all kinds: start, look back, resume, cancel, repeat. The worker executes them. */
export function runRoutes(worker: RunWorker): Handlers<RunRouteName> {
  return {
    start_run: async (request) => started(request, await startedWork(request, submitRun), worker),
    list_runs: listRuns,
    get_run: async (request) => toWireDetail(await requireRun(request)),
    get_run_events: async (request) => {
      const items = await replayEvents(await requireRun(request));
      return asWire<"RunEvents">({ items, next_cursor: null });
    },
    get_run_log: async (request) => asWire<"RunLog">({ ...(await toWireRunLog(await requireRun(request))) }),
    explain_run: explain,
    diff_runs: diff,
    resume_run: async (request) => {
      const { run } = await requireRun(request);
      await resume(request.workspace, run, worker);
      return started(request, run.id, worker);
    },
    cancel_run: async (request) => {
      const { workspace, caller } = request;
      const { run } = await requireRun(request);
      const isRequested = await workspace.runs.cancel(run.id, caller.principal);
      const ended = isRequested ? undefined : await requireRun(request);
      if (ended !== undefined && ended.run.status !== "cancelled")
        throw refusal("conflict", `run ${run.id} has already ended: ${ended.run.status}`, { run_id: run.id });
      return started(request, run.id, worker);
    },
    preview_rerun: async (request) => {
      const { workspace, query } = request;
      const { run } = await requireRun(request, "chain");
      if (query.from === undefined) throw refusal("bad_request", "name the step to start from: ?from=STEP");
      const preview = await workspace.runs.previewRerun(run.id, query.from);
      const { chain, reused } = preview;
      const rerun = preview.rerun.map((step) => snakeKeys({ ...step }));
      const repeated = repeatedOnceSteps(preview).map(({ step }) => step);
      return asWire<"RerunPreview">({ chain, rerun, reused, repeated_once: repeated });
    },
    rerun: async (request) => started(request, await startedWork(request, submitRerun), worker),
    send_event: async (request) => {
      const { runId, name, id, isRepeated } = await deliver(request);
      // It continues a run that the event has woken.
      worker.start();
      const body = { run_id: runId, name, event_id: id, repeated: isRepeated };
      return { reply: true, status: 202, body: asWire<"DeliveredEvent">(body) };
    },
  };
}

/** Stores a new run of a chain; returns its id. */
async function submitRun(request: ServerRequest<"start_run">): Promise<string> {
  const { workspace, params, body } = request;
  const plan = await requirePlan(workspace, params.name);
  const { runId } = await workspace.runs.submit(plan, {
    ...startOptions(request),
    input: body.input,
    ...(body.context !== undefined && { context: { ...body.context } }),
  });
  return runId;
}

/** The caller of a new run, and the id that it must have. */
function startOptions({ caller, body, work }: ServerRequest<"start_run" | "rerun">) {
  const runId = body.run_id ?? work?.id;
  return { callerType: "api", principal: caller.principal, ...(runId !== undefined && { runId }) } as const;
}

async function listRuns({ workspace, query, caller }: ServerRequest<"list_runs">): Promise<WireValue<"RunPage">> {
  const { limit = 50 } = query;
  const { runs } = workspace;
  const found = await runs.list({ ...queryOf(query), ...(caller.runId && { id: caller.runId }), limit: limit + 1 });
  const items = found.slice(0, limit);
  const isRunning = items.some(({ status }) => status === "running");
  const abandoned = isRunning ? await runs.list({ abandoned: true, limit: 1000 }) : [];
  const context = { redactor: workspace.engine.redactor, abandoned: new Set(abandoned.map(({ id }) => id)) };
  const last = found.length > limit ? items.at(-1) : undefined;
  return {
    items: items.map((run) => asWire<"Run">({ ...toWireRun(run, context), ...inputPreview(run, context) })),
    next_cursor: last === undefined ? null : encodeCursor(`${last.startedAt} ${last.id}`),
  };
}

const previewLength = 200;

/** The beginning of an input. The prompt of an agent is in its run as a whole. */
function inputPreview(
  { kind, input }: StoredRun,
  { redactor }: Pick<Parameters<typeof toWireRun>[1], "redactor">,
): { readonly input_preview?: string } {
  // Redacted first: half of a secret would not be recognized.
  return kind === "agent" ? {} : { input_preview: redactor.text(input).slice(0, previewLength).toWellFormed() };
}

function queryOf(query: ServerRequest<"list_runs">["query"]): RunQuery {
  const { status, conversation, since, query: text, cursor } = query;
  return {
    ...kindOf(query),
    ...(status === "interrupted" ? { abandoned: true } : status !== undefined && { status }),
    ...(conversation !== undefined && { conversation }),
    ...(since !== undefined && { since: Date.parse(since) }),
    ...(text !== undefined && { text }),
    ...(cursor !== undefined && { after: positionOf(cursor) }),
  };
}

/** The kind of runs, and their name. */
function kindOf(query: ServerRequest<"list_runs">["query"]): Pick<RunQuery, "kind" | "name"> {
  const named = (Object.keys(runNameFields) as RunKindId[]).filter((kind) => query[runNameFields[kind]] !== undefined);
  const kinds = new Set(query.kind === undefined ? named : [query.kind, ...named]);
  if (kinds.size > 1)
    throw refusal(
      "bad_request",
      "chain, runner and tool name runs of different kinds; send one of them, with its kind",
    );
  const [kind] = kinds;
  const name = kind && query[runNameFields[kind]];
  return { ...(kind !== undefined && { kind }), ...(name !== undefined && { name }) };
}

/** The position after which a page of runs continues. */
export function positionOf(cursor: string): NonNullable<RunQuery["after"]> {
  const [startedAt, id] = /^(\d+(?:\.\d+)?) (.+)$/.exec(decodeCursor(cursor))?.slice(1) ?? [];
  if (startedAt === undefined || id === undefined)
    throw refusal("bad_request", "the cursor is not one that a list returned");
  return { startedAt: Number(startedAt), id };
}

async function explain(request: ServerRequest<"explain_run">): Promise<WireValue<"RunExplanation">> {
  const { query, headers } = request;
  const inspected = await requireRun(request);
  const { step = "", language = languageOf(headers) } = query;
  const explanations = await explainRun(inspected, step, {
    language,
    approveCommand: (id) => cliCommand(`approve ${id}`),
  });
  const { workspace, run } = inspected;
  const facts = await Promise.all(
    explanations.map(async ({ fact, step: of }) => {
      const position = await locateExpression(workspace, run.name, { step: of ?? step, fact });
      return { ...(of !== undefined && { step: of }), ...fact, ...(position !== undefined && { position }) };
    }),
  );
  return asWire<"RunExplanation">({
    run_id: run.id,
    ...(step !== "" && { step }),
    sentences: explanations.map(({ sentence }) => sentence),
    facts,
  });
}

/** The first language of `Accept-Language` that there are texts in. */
function languageOf(headers: Headers): Language {
  return /\b(?:zh|en)\b/i.exec(headers.get("accept-language") ?? "")?.[0].toLowerCase() === "zh" ? "zh" : "en";
}

async function diff(request: ServerRequest<"diff_runs">): Promise<WireValue<"RunDifference">> {
  const { workspace, query, caller } = request;
  const { run } = await requireRun(request, "chain");
  const earlier = { kind: run.kind, name: run.name, after: { id: run.id, startedAt: run.startedAt }, limit: 1 };
  const [before = query.with] =
    query.with === undefined ? (await workspace.runs.list(earlier)).map(({ id }) => id) : [];
  if (before === undefined)
    throw refusal("not_found", `run ${run.id} is the first one of ${run.name}; name the other run: ?with=RUN`);
  const other = await requireRun({ workspace, params: { id: before }, caller }, "chain");
  const [was, is] = await Promise.all([other.run.id, run.id].map((id) => workspace.runs.inspect(id)));
  if (was === undefined || is === undefined) throw refusal("run_not_found", "one of the runs was removed");
  return asWire<"RunDifference">({ ...diffRuns(was.log(), is.log()) });
}

/** Resumes a run of any kind, and returns once it is executed here. Throws if it cannot be. */
async function resume(
  workspace: Workspace,
  { id, kind }: { readonly id: string; readonly kind: RunKindId },
  worker: RunWorker,
): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const runs = kind === "chain" ? workspace.runs : kind === "call" ? workspace.calls : await workspace.agents();
  // A failure after its begin is in its journal, or the worker resumes it again.
  runs
    .resume(id, { ...worker.optionsOf({ id, kind }), onResumed: begun.resolve })
    .then(() => begun.resolve(), begun.reject);
  await begun.promise;
}

/** Stores a run that repeats another one; returns its id. */
async function submitRerun(request: ServerRequest<"rerun">): Promise<string> {
  const { workspace, body } = request;
  const { run } = await requireRun(request);
  const { from, input } = body;
  const options = startOptions(request);
  if (run.kind === "agent")
    throw refusal(
      "bad_request",
      `run ${run.id} is of an agent; send its prompt again with POST /v1/agents/${run.name}/messages`,
    );
  if (run.kind === "call") {
    if (from !== undefined) throw refusal("bad_request", `run ${run.id} is one call, without steps; omit "from"`);
    return (await workspace.calls.submit(run.name, input ?? JSON.parse(run.input), options)).runId;
  }
  if (from !== undefined && body.repeat_once !== true) await checkRepeats(request, from);
  const again = { ...options, ...(from !== undefined && { from }), ...(input !== undefined && { input }) };
  return (await workspace.runs.submitRerun(run.id, again)).runId;
}

/** Throws if steps would repeat what must happen once, although they do not depend on the requested step. */
async function checkRepeats({ workspace, params, body }: ServerRequest<"rerun">, from: string): Promise<void> {
  const { input } = body;
  const preview = await workspace.runs.previewRerun(params.id, from, { ...(input !== undefined && { input }) });
  const repeated = repeatedOnceSteps(preview).map(({ step }) => step);
  if (repeated.length === 0) return;
  const detail = `${repeated.join(", ")} would run again with the effect "once"; to run anyway, send repeat_once: true`;
  throw refusal("conflict", detail, { reason: "repeats_once", run_id: params.id });
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

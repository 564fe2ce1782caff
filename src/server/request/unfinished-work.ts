import { createProblem } from "../../api/index.ts";
import { type InspectedRun, listOpenApprovals } from "../../app/index.ts";
import { ProblemError } from "./handler.ts";

/**
 * The problem of a request whose work was started and has not ended: it is still running, or it waits for a person. The
 * same request gets its response later.
 */
export async function unfinishedWork({ workspace, run }: InspectedRun): Promise<ProblemError> {
  const { id, kind, name, status } = run;
  const path = `/v1/${kind === "call" ? "calls" : "runs"}/${encodeURIComponent(id)}`;
  const headers = { location: path };
  const [approval] = status === "waiting" ? await listOpenApprovals(workspace, id) : [];
  if (kind !== "call" || approval === undefined) {
    const detail = `${status === "waiting" ? "the run waits" : "the request is still running"}; GET ${path} shows its state`;
    return inProgress(id, detail, headers);
  }
  const about = { run_id: id, approval_id: approval.id };
  const decide = `POST /v1/approvals/${approval.id}`;
  if (approval.interrupted !== true) {
    const detail = `${name} needs approval: ${decide} decides; once it is approved, the call runs, and the same request gets its result`;
    return new ProblemError(createProblem("approval_required", detail, { ...about, retry: "safe" }), headers);
  }
  const detail = `${name} was running when its process ended, and must not run twice. Find out whether its work was done, and decide with ${decide}`;
  return new ProblemError(createProblem("unknown_outcome", detail, { ...about, retry: "unsafe" }), headers);
}

/** The problem of a request that is still being handled. */
export function inProgress(
  runId: string,
  detail = "the request is still running; send it again later",
  headers: Readonly<Record<string, string>> = {},
): ProblemError {
  const problem = createProblem("conflict", detail, { reason: "in_progress", run_id: runId });
  return new ProblemError(problem, { ...headers, "retry-after": "1" });
}

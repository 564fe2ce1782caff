import { fail } from "../base/index.ts";

/** A run id that somebody chose, or undefined where nobody did; throws when it cannot be one. */
export function checkRunId(runId: string | undefined): string | undefined {
  if (runId === undefined || /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(runId)) return runId;
  const shown = JSON.stringify(runId.length > 40 ? `${runId.slice(0, 40).toWellFormed()}…` : runId);
  const message = `${shown} cannot be a run id: it must begin with a letter or digit, and have letters, digits and ._- only, at most 128`;
  throw fail(message, { code: "validation_error", reason: "bad_run_id" });
}

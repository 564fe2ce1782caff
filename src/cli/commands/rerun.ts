import type { RunCommand } from "../command-spec.ts";
import { withRun } from "../find-run.ts";
import { followRun, withRuns } from "../run-session.ts";
import { tellRun } from "../tell-run.ts";

/** `windlass rerun`. */
export const rerunChain: RunCommand = (invocation) =>
  withRuns(invocation, async (session) => {
    const [id = ""] = invocation.words;
    const { runs } = session.workspace;
    const from = invocation.text("from");
    const result = await withRun(runs, { id, invocation }, () =>
      followRun(session, { durable: true }, (how) => runs.rerun(id, { ...how, ...(from !== undefined && { from }) })),
    );
    return tellRun(result, session, { durable: true });
  });

import { openHost } from "../../src/run/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../src/store/index.ts";
import { type OpenPortsAt, inProcessLab } from "./in-process-lab.ts";
import { interruptedRuns } from "./interrupted-runs.ts";
import { queuedCalls } from "../support/queued-calls.ts";
import { runConformance } from "./run-conformance.ts";

const open: OpenPortsAt = async (clock) => {
  const approvals = createInMemoryApprovals({ clock });
  const journal = createInMemoryRunJournal({ clock, approvals, finished: 1000 });
  return { approvals, journal, close: async () => {} };
};

runConformance(inProcessLab("in memory", open));
runConformance(inProcessLab("in memory, submitted and served", open, { serves: true }));
runConformance(
  inProcessLab("in memory, with their calls sent over a queue", open, {
    openHost: ({ calls, ...task }) => openHost({ ...task, calls: calls && queuedCalls(calls, { sent: [] }) }),
  }),
);
interruptedRuns("in memory", open);

import { type Span, SpanKind } from "@opentelemetry/api";
import type { RunFacts, RunObserver } from "../../chain/index.ts";
import type { OpenSpans } from "./open-spans.ts";
import { tellFailure } from "./tell-failure.ts";

/** A span for each run of a chain; the calls of its steps are below it. */
export function chainSpans(open: OpenSpans): RunObserver {
  return {
    run: ({ runId, chain, resumed }, execute) => {
      const attributes = {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": chain,
        "windlass.run.id": runId,
        ...(resumed && { "windlass.run.resumed": true }),
      };
      const begun = open.begin(`invoke_workflow ${chain}`, { kind: SpanKind.INTERNAL, attributes });
      return open.run(runId, begun, { execute, tell: (span, { facts }) => tellRun(span, facts) });
    },
  };
}

function tellRun(span: Span, { status, error }: RunFacts): void {
  span.setAttribute("windlass.run.status", status);
  if (error !== undefined) tellFailure(span, error);
}

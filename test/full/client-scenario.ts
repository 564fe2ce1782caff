import type { WindlassClient } from "../../src/client.ts";

/** Results of a client; compared with the same for Node and browsers. */
export interface Seen {
  readonly output: unknown;
  readonly refused: unknown;
  readonly decided: string;
  readonly second: unknown;
  readonly waits: unknown;
  readonly ended: unknown;
  readonly listed: readonly string[];
  readonly saved: unknown;
}

/** Failures are compared by these facts. */
interface ApiFailure {
  readonly name: string;
  readonly code: string;
  readonly status: number;
  readonly problem: { readonly approval_id?: string; readonly decided_by?: string };
}

/**
 * Uses everything that a program or a page needs: calls, runs, approvals, chains. It imports nothing, because browsers
 * load it without its types, as `client-scenario.js`.
 */
export async function useClient(client: WindlassClient): Promise<Seen> {
  const failureOf = async (work: Promise<unknown>): Promise<ApiFailure> => {
    try {
      await work;
    } catch (error) {
      return error as ApiFailure;
    }
    throw new Error("it did not fail");
  };
  const { output } = await client.tools.call("say", { text: "hi ü 你好" });
  const wrong = await failureOf(client.tools.call("say", { text: 1 }));

  const needed = await failureOf(client.tools.call("delete_note", { id: "n1" }));
  const approvalId = needed.problem.approval_id ?? "";
  const { status: decided } = await client.approvals.approve(approvalId, "go ahead");
  const late = await failureOf(client.approvals.reject(approvalId));

  const started = await client.runs.start("clean");
  const waits: string[] = [];
  let run = await client.runs.result(started.run_id);
  for (; run.status === "running" || run.status === "waiting"; run = await client.runs.result(started.run_id)) {
    for (const { id, status, message = "" } of run.approvals) {
      if (status !== "pending") continue;
      waits.push(message);
      await client.approvals.approve(id);
    }
  }

  const listed: string[] = [];
  for await (const { run_id } of client.each("list_runs", { chain: "clean", limit: 1 })) listed.push(run_id);

  const { text, version } = await client.chains.get("greet");
  const saved = await client.chains.save("greet", `${text}# more\n`, { replaces: version });
  const outdated = await failureOf(client.chains.save("greet", text, { replaces: version }));
  return {
    output,
    refused: [wrong.name, wrong.code, wrong.status],
    decided,
    second: [late.code, late.status, late.problem.decided_by],
    waits,
    ended: [run.status, run.output],
    listed: listed.map((id) => (id === started.run_id ? "the run" : id)),
    saved: [saved.name, outdated.code],
  };
}

/** The events of a run with an id, in the order in which a client received them. */
export async function followRun(client: WindlassClient, runId: string): Promise<unknown[]> {
  const journaled: unknown[] = [];
  for await (const { type, id, data } of client.runs.follow(runId)) {
    if (type === "run" || type === "journal" || type === "approval") journaled.push({ id, type, data });
  }
  return journaled;
}

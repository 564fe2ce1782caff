import type { QueryParams, ResponseBody, WireValue } from "../../api/index.ts";
import { runNameFields } from "../../app/index.ts";
import type { Decided } from "../../engine/index.ts";
import {
  type Approval,
  type ApprovalStatus,
  type Decision,
  type RunQuery,
  type RunRecording,
  type StoredRun,
} from "../../store/index.ts";
import { toApproval, toStoredRun } from "./from-wire.ts";
import type { ServerApi } from "./server-api.ts";

/** Maximum number of items of a page. */
const pageSize = 200;

/** The runs of a server, for lists. */
export class RemoteRunReader {
  readonly #api: ServerApi;

  constructor(api: ServerApi) {
    this.#api = api;
  }

  async list({ limit = 100, ...query }: RunQuery = {}): Promise<readonly StoredRun[]> {
    if (query.id !== undefined) {
      const run = await this.find(query.id);
      return run === undefined || (query.abandoned === true && run.interrupted !== true) ? [] : [toStoredRun(run)];
    }
    const found: StoredRun[] = [];
    let cursor: string | null | undefined;
    do {
      const count = Math.min(pageSize, limit - found.length);
      const page: ResponseBody<"list_runs"> = await this.#api.send("list_runs", {
        params: {},
        query: { ...paramsOf(query), limit: count, ...(cursor && { cursor }) },
      });
      found.push(...page.items.map(toStoredRun));
      cursor = page.next_cursor;
    } while (cursor && found.length < limit);
    return found;
  }

  async read(id: string): Promise<RunRecording | undefined> {
    const run = await this.find(id);
    return run && { run: toStoredRun(run), events: [] };
  }

  /** A run in its JSON form; undefined if there is none. */
  find(id: string): Promise<WireValue<"RunDetail"> | undefined> {
    return this.#api.find("get_run", { params: { id } });
  }
}

function paramsOf({ kind, name, status, abandoned }: RunQuery): QueryParams<"list_runs"> {
  return {
    ...(kind !== undefined && { kind }),
    ...(kind !== undefined && name !== undefined && { [runNameFields[kind]]: name }),
    ...(abandoned === true ? { status: "interrupted" } : status !== undefined && { status }),
  };
}

/** The approvals of a server. */
export class RemoteApprovals {
  readonly #api: ServerApi;

  constructor(api: ServerApi) {
    this.#api = api;
  }

  async list(status?: ApprovalStatus): Promise<readonly Approval[]> {
    const found: Approval[] = [];
    let cursor: string | null | undefined;
    do {
      const page: ResponseBody<"list_approvals"> = await this.#api.send("list_approvals", {
        params: {},
        query: { limit: pageSize, ...(status !== undefined && { status }), ...(cursor && { cursor }) },
      });
      found.push(...page.items.map(toApproval));
      cursor = page.next_cursor;
    } while (cursor);
    return found;
  }

  async find(id: string): Promise<Approval | undefined> {
    const found = await this.#api.find("get_approval", { params: { id } });
    return found && toApproval(found);
  }

  /** Decides as the principal of the token. */
  async decide(id: string, { approved, done, note }: Decision): Promise<Decided | undefined> {
    const body = {
      decision: done !== undefined ? "done" : approved ? "approve" : "reject",
      ...(note !== undefined && { note }),
      ...(done !== undefined && { output: done.output }),
    } as const;
    const { body: decided, problem } = await this.#api.attempt("decide_approval", { params: { id }, body });
    if (decided !== undefined) return { approval: toApproval(decided), isRecorded: true };
    const { reason, detail: message } = problem;
    if (problem.code !== "conflict" && reason !== "not_an_approver") throw this.#api.errorOf(problem);
    const approval = await this.find(id);
    if (approval === undefined) return undefined;
    // Written by the approval service of the server.
    const refusal = reason === undefined ? {} : { refusal: { reason, message } as NonNullable<Decided["refusal"]> };
    return { approval, isRecorded: false, ...refusal };
  }
}

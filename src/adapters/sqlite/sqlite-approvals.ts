import type { Clock, Ids } from "../../base/index.ts";
import {
  type Approval,
  type ApprovalRequest,
  type ApprovalStatus,
  type ApprovalStore,
  type Decision,
  type RecordRedactor,
  wholeText,
} from "../../store/index.ts";
import type { WriterThread } from "./writer-thread.ts";

/** What {@link SqliteApprovals} is made of. */
export interface SqliteApprovalsParts {
  readonly thread: WriterThread;
  readonly redactor: RecordRedactor;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** Approvals in SQLite. Each answer is given after its commit, and processes that share the file agree on it. */
export class SqliteApprovals implements ApprovalStore {
  readonly #parts: SqliteApprovalsParts;

  constructor(parts: SqliteApprovalsParts) {
    this.#parts = parts;
  }

  async request(request: ApprovalRequest): Promise<Approval> {
    const { thread, redactor, ids, clock } = this.#parts;
    const { args, message, ...rest } = request;
    const stored = { ...rest, args: wholeText(args, redactor), message: redactor.text(message) };
    return thread.call("requestApproval", { id: ids.next(), now: clock.now(), request: stored });
  }

  async consume(key: string, now: number): Promise<boolean> {
    return this.#parts.thread.call("consumeApproval", { key, now });
  }

  async restore(key: string): Promise<void> {
    await this.#parts.thread.call("restoreApproval", { key });
  }

  async decide(id: string, decision: Decision, now: number): Promise<Approval | undefined> {
    return this.#parts.thread.call("decideApproval", { id, decision, now });
  }

  async get(id: string, now: number): Promise<Approval | undefined> {
    return this.#parts.thread.call("getApproval", { id, now });
  }

  async list(now: number, status?: ApprovalStatus): Promise<readonly Approval[]> {
    return this.#parts.thread.call("listApprovals", { now, status });
  }
}

/** An entry that is about to be added to the audit log. Contains no secrets. */
export interface NewAuditEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The principal of a token, or the user at a terminal. */
  readonly by: string;
  /** The action, such as `approval.decide` or `token.create`. */
  readonly action: string;
  /** The approval, chain or token concerned. */
  readonly target?: string;
  /** `done`, or the code of the problem with which the action was refused or failed. */
  readonly outcome: string;
  /** More about it, such as `approve` or the scopes of a token. */
  readonly detail?: string;
  /** The request, as in the access log. Undefined at a terminal. */
  readonly requestId?: string;
}

/** An entry of the audit log. */
export interface AuditEntry extends NewAuditEntry {
  /** Counts the entries; never reused. */
  readonly number: number;
}

/** Selects entries; all conditions apply. */
export interface AuditQuery {
  readonly action?: string;
  readonly by?: string;
  readonly target?: string;
  /** At this time or later. */
  readonly since?: number;
  /** Entries before the one with this number. */
  readonly before?: number;
  readonly limit: number;
}

/**
 * The audit log of a workspace: who decided, saved or gave access, and when. Entries are never changed. Every
 * implementation passes `test/conformance/audit-log.ts`.
 */
export interface AuditLog {
  /** Adds an entry; durable when it resolves. */
  add(entry: NewAuditEntry): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

const maxInMemory = 10_000;

/** An audit log in memory, for one process: its last 10,000 entries. */
export function createInMemoryAuditLog(): AuditLog {
  let entries: AuditEntry[] = [];
  let count = 0;
  return {
    add: async (entry) => {
      entries.push({ ...entry, number: ++count });
      if (entries.length > 2 * maxInMemory) entries = entries.slice(-maxInMemory);
    },
    list: async (query) =>
      entries
        .slice(-maxInMemory)
        .filter((entry) => matches(entry, query))
        .reverse()
        .slice(0, query.limit),
  };
}

function matches(entry: AuditEntry, { action, by, target, since = -Infinity, before = Infinity }: AuditQuery): boolean {
  return (
    (action === undefined || entry.action === action) &&
    (by === undefined || entry.by === by) &&
    (target === undefined || entry.target === target) &&
    entry.at >= since &&
    entry.number < before
  );
}

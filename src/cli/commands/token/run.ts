import type { Scope } from "../../../api/index.ts";
import { ApiTokens, type AuditActor, checkTokenRequest, toWireAuditEntry, toWireToken } from "../../../app/index.ts";
import { cliCommand, definedOnly, systemClock } from "../../../base/index.ts";
import { type ApiToken, type ApiTokenState, type ApiTokenStore, apiTokenStateAt } from "../../../store/index.ts";
import { suggest } from "../../../text/index.ts";
import { withJournal, withNewJournal, withWritableJournal } from "../../open/open-journal.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type Invocation, commandLine } from "../../program/invocation.ts";
import { rejectSubcommandWord } from "../../program/reject-subcommand-word.ts";
import { UsageError, orUsageError } from "../../program/usage-error.ts";
import { requireRun } from "../../run-kinds/run-kind.ts";
import { formatTime } from "../../terminal/format-figures.ts";
import { type StyledColumn, tableFor, toOneLine } from "../../terminal/format-table.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import type { Style } from "../../terminal/terminal.ts";
import { userName } from "../../terminal/user-name.ts";
import { durationOf, parseTimeOption } from "../records/parse-time-option.ts";

/** `windlass token list`. */
export const listTokens: RunCommand = (invocation) => {
  rejectSubcommandWord(invocation, {
    of: "token",
    names: ["list", "create", "revoke"],
    hints: () => [`run "${cliCommand("token --help")}" for a list`],
  });
  return withJournal(async ({ store }) => {
    const { terminal } = invocation;
    const now = systemClock.now();
    const tokens = (await store?.tokens.list()) ?? [];
    if (invocation.flag("json")) return terminal.print(safeJson(tokens.map((token) => toWireToken(token, now))));
    if (tokens.length === 0)
      return terminal.log(`No tokens yet. Create one with: ${commandLine(invocation, "token", "create", "NAME")}`);
    for (const line of tokenLines(tokens, invocation, now)) terminal.print(line);
  });
};

const styles: Readonly<Record<ApiTokenState, Style>> = { active: "green", expired: "dim", revoked: "dim" };

function tokenLines(tokens: readonly ApiToken[], { terminal }: Invocation, now: number): string[] {
  const states = tokens.map((token) => apiTokenStateAt(token, now));
  const rows = tokens.map(({ id, name, scopes, runId, expiresAt, lastUsedAt }, row) => [
    id,
    states[row] ?? "",
    expiresAt === undefined ? "never" : formatTime(expiresAt),
    lastUsedAt === undefined ? "never" : formatTime(lastUsedAt),
    `${scopes.join(",")}${runId === undefined ? "" : ` of run ${toOneLine(runId)}`}`,
    toOneLine(name),
  ]);
  const columns: StyledColumn[] = [
    { title: "ID", style: "bold" },
    { title: "STATUS", style: (_cell, row) => styles[states[row] ?? "expired"] },
    "EXPIRES",
    "LAST USED",
    "SCOPES",
    { title: "NAME", long: "cut" },
  ];
  return tableFor(terminal, columns, rows);
}

/** `windlass token create`. */
export const createToken: RunCommand = (invocation) =>
  withNewJournal(async ({ store, tokens: stored, audit }) => {
    const { terminal, words } = invocation;
    const runId = invocation.text("run");
    const request = {
      name: words[0] ?? "",
      // `create` checks them.
      scopes: (invocation.text("scope") ?? "read").split(",").map((scope) => scope.trim()) as Scope[],
      expiresMs: expiryIn(invocation),
      runId,
    };
    orUsageError("validation_error", () => checkTokenRequest(request));
    if (runId !== undefined) await requireRun({ store }, { id: runId, invocation });
    const created = await new ApiTokens(stored, systemClock, audit).create(request, localActor());
    if (invocation.flag("json")) {
      terminal.print(safeJson({ token: created.token, info: toWireToken(created.stored, created.stored.createdAt) }));
      return;
    }
    const { id, scopes, expiresAt } = created.stored;
    const until = expiresAt === undefined ? "does not expire" : `expires at ${formatTime(expiresAt)}`;
    terminal.log(`Token ${id} (${scopes.join(", ")}) ${until}. It is shown only now:`);
    terminal.print(created.token);
  });

function expiryIn(invocation: Invocation): number | null | undefined {
  const text = invocation.text("expires");
  if (text === undefined || text === "never") return text && null;
  const ms = durationOf(text);
  if (ms !== undefined) return ms;
  throw new UsageError(`--expires: invalid duration ${JSON.stringify(text)}`, "write 12h, 30d, 8w, or never");
}

/** `windlass token revoke`. */
export const revokeToken: RunCommand = (invocation) =>
  withWritableJournal(async ({ store }) => {
    const { terminal, words } = invocation;
    const [id = ""] = words;
    const token = store && (await new ApiTokens(store.tokens, systemClock, store.audit).revoke(id, localActor()));
    if (token === undefined) throw await unknownToken(id, store?.tokens, invocation);
    if (invocation.flag("json")) terminal.print(safeJson(toWireToken(token, systemClock.now())));
    else terminal.print(`revoked: ${token.id} ${toOneLine(token.name)}`);
  });

function localActor(): AuditActor {
  return { by: userName() ?? "unknown" };
}

async function unknownToken(
  id: string,
  tokens: ApiTokenStore | undefined,
  invocation: Invocation,
): Promise<UsageError> {
  const known = (await tokens?.list()) ?? [];
  const named = known.find(({ name }) => name === id);
  const near =
    named?.id ??
    suggest(
      id,
      known.map((token) => token.id),
    );
  const hint =
    near === undefined ? `list them with: ${commandLine(invocation, "token", "list")}` : `did you mean ${near}?`;
  return new UsageError(`there is no token ${JSON.stringify(id)}`, hint);
}

/** `windlass audit`. */
export const showAudit: RunCommand = (invocation) =>
  withJournal(async ({ store }) => {
    const { terminal } = invocation;
    const since = parseTimeOption("--since", invocation.text("since"), Date.now());
    const [by, action] = [invocation.text("by"), invocation.text("action")];
    const limit = invocation.number("limit") ?? 20;
    const entries = (await store?.audit.list({ limit, ...definedOnly({ by, action, since }) })) ?? [];
    if (invocation.flag("json")) return terminal.print(safeJson(entries.map(toWireAuditEntry)));
    if (entries.length === 0) return terminal.log("No matching entries in the audit log.");
    const rows = entries.map((entry) => [
      formatTime(entry.at),
      toOneLine(entry.by),
      entry.action,
      entry.outcome,
      toOneLine(entry.target ?? ""),
      toOneLine(entry.detail ?? ""),
    ]);
    const columns: StyledColumn[] = [
      "TIME",
      { title: "BY", style: "bold" },
      "ACTION",
      { title: "OUTCOME", style: (_cell, row) => (entries[row]?.outcome === "done" ? "green" : "red") },
      "TARGET",
      { title: "DETAIL", long: "cut" },
    ];
    for (const line of tableFor(terminal, columns, rows)) terminal.print(line);
  });

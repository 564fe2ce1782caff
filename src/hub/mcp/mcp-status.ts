import type { LastFailure } from "./server-breaker.ts";
import type { McpToolDefinition } from "./mcp-port.ts";
import type { IdentityChange } from "./server-identity.ts";
import type { McpSourceReason } from "../hub-reasons.ts";
import { formatPath } from "../../base/index.ts";
import { isRecord, ownValue } from "../../schema/index.ts";
import { showUnsafe } from "../../text/index.ts";
import { pinnedParts } from "./check-definition.ts";

/**
 * State of a server: `connected` and `connecting` now; `known` from its catalogue; `unknown`, never connected; `down`,
 * the last connection failed, and it may be cooling down; `changed`, its command line or address differs from the
 * approved one; `disabled` or `broken` by its entry in the file; `untrusted` until the user trusts it.
 */
export type McpServerState =
  | "connected"
  | "connecting"
  | "known"
  | "unknown"
  | "down"
  | "changed"
  | "disabled"
  | "broken"
  | "untrusted";

/** Status of a server, available without a connection. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: McpServerState;
  readonly transport: "stdio" | "http" | undefined;
  /** The command line or the address, as the file has it. */
  readonly display: string;
  /** The version of the protocol at the last connection. */
  readonly protocol?: string;
  /** Its instructions at that time. For people: they are not pinned, so no model sees them. */
  readonly instructions?: string;
  /** When its tools were last listed, in epoch milliseconds. */
  readonly seenAt?: number;
  /** Names of tools that can be called. */
  readonly tools: readonly string[];
  readonly refused: readonly RefusedTool[];
  readonly resources: number;
  /** Violations of the protocol: in its list of tools, and in the last results of its tools. */
  readonly problems?: readonly string[];
  readonly lastFailure?: LastFailure;
  /** Error in its entry in the file. */
  readonly fault?: string;
  /** Suggested action of the user. */
  readonly hint?: string;
}

/** A tool that is listed and cannot be called. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: McpSourceReason;
  readonly message: string;
}

/** A pending approval. Approving it approves exactly this. */
export interface McpReview {
  readonly server: string;
  /** Identity of the server at the time of the review. */
  readonly identity: string;
  /** The server was never approved as it is: by its command line, environment or address, or how far it is trusted. */
  readonly address?: {
    readonly before: string;
    readonly after: string;
    /** Everything that identifies the server, including unchanged parts. */
    readonly parts: readonly IdentityChange[];
  };
  readonly tools: readonly ReviewedTool[];
  /** Tools that were approved and that the server does not offer any more. */
  readonly gone: readonly string[];
  /** Tools that cannot be approved at all. */
  readonly refused: readonly RefusedTool[];
}

/** A tool that waits for approval, and its differences. */
export interface ReviewedTool {
  readonly name: string;
  readonly isNew: boolean;
  readonly changes: readonly DefinitionChange[];
  readonly definition: McpToolDefinition;
}

/** One difference between two definitions, each side on one line. */
interface DefinitionChange {
  /** Such as `inputSchema.properties.to.description`. */
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

/**
 * Maximum length of a description: the text to approve is shown completely, and longer text is shown with the number of
 * omitted characters.
 */
const maxLength = 10_000;
const lead = 60;

/** Differences of a definition for the approver; the whole definition if there is no earlier one. */
export function definitionDiff(
  before: McpToolDefinition | undefined,
  after: McpToolDefinition | undefined,
): DefinitionChange[] {
  const old = before === undefined ? undefined : pinnedParts(before);
  const now = after === undefined ? undefined : pinnedParts(after);
  return differences(old, now, []);
}

function differences(before: unknown, after: unknown, path: readonly string[]): DefinitionChange[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => differences(ownValue(before, key), ownValue(after, key), [...path, key]));
  }
  // A definition that is new or removed is listed part by part.
  if (path.length === 0) {
    const whole = isRecord(before) ? before : isRecord(after) ? after : {};
    return Object.keys(whole).flatMap((key) => differences(ownValue(before, key), ownValue(after, key), [key]));
  }
  const [old, now] = [written(before), written(after)];
  if (old === now) return [];
  const from = firstDifference(old ?? "", now ?? "");
  return [
    {
      path: showUnsafe(formatPath(path)),
      ...(old !== undefined && { before: excerpt(old, from) }),
      ...(now !== undefined && { after: excerpt(now, from) }),
    },
  ];
}

function written(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** Longer texts are shown from the first difference on. */
function excerpt(text: string, from: number): string {
  if (text.length <= maxLength) return showUnsafe(text);
  const start = Math.max(0, Math.min(from - lead, text.length - maxLength));
  const part = text.slice(start, start + maxLength).toWellFormed();
  return `${showUnsafe(part)} (${text.length - maxLength} more characters)`;
}

import { fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import type { VaultIndexReport, SkippedNote } from "./index-report.ts";
import type { Vault } from "./vault.ts";

/** Input of `index_vault`. */
export interface IndexVaultInput {
  readonly paths?: readonly string[];
  readonly full?: boolean;
}

/** Output of `index_vault`. */
export interface IndexVaultOutput {
  readonly status: "complete" | "truncated";
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly renamed: number;
  readonly unchanged: number;
  readonly skipped: readonly SkippedNote[];
  readonly skipped_count: number;
  readonly duration_ms: number;
}

const count = { type: "integer", minimum: 0 };

const outputJson = {
  type: "object",
  properties: {
    status: { enum: ["complete", "truncated"] },
    added: count,
    updated: count,
    removed: count,
    renamed: count,
    unchanged: count,
    skipped: {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, why: { type: "string" } },
        required: ["path", "why"],
      },
    },
    skipped_count: count,
    duration_ms: count,
  },
  required: [
    "status",
    "added",
    "updated",
    "removed",
    "renamed",
    "unchanged",
    "skipped",
    "skipped_count",
    "duration_ms",
  ],
};

/** `index_vault`: brings the index of the notes up to date. */
export function indexVaultTool({
  vault,
}: {
  readonly vault: Vault;
}): Tool<IndexVaultInput, IndexVaultInput, IndexVaultOutput> {
  return defineTool({
    name: "index_vault",
    aliases: ["indexVault", "indexTool"],
    description:
      "Brings the search index of the vault (the folder of notes) up to date with its files, and returns how many notes " +
      "were added, updated, renamed and removed. Reads only what changed. Call it once before local_search if notes were " +
      "just written or the vault is large and new; local_search indexes small vaults itself.",
    displayName: "Index vault",
    category: "file",
    tags: ["notes", "vault", "index"],
    capabilities: ["index", "索引"],
    background: true,
    // It only reads the outside world: the index can be rebuilt at any time.
    effect: "idempotent",
    destructive: false,
    timeoutMs: 10 * 60_000,
    input: fromJsonSchema<IndexVaultInput, IndexVaultInput>({
      type: "object",
      properties: {
        paths: {
          type: "array",
          items: { type: "string", maxLength: 1024 },
          maxItems: 1000,
          description: "Notes or folders that changed, relative to the vault. Default: the whole vault.",
        },
        full: {
          type: "boolean",
          default: false,
          description: "Read every note again, even those that look unchanged.",
        },
      },
      additionalProperties: false,
      examples: [{}],
    }),
    output: fromJsonSchema<IndexVaultOutput, IndexVaultOutput>(outputJson),
    run: async ({ paths, full = false }, { signal, progress }) => {
      const report = await vault.index({ full, signal, onProgress: progress, ...(paths !== undefined && { paths }) });
      return outputOf(report);
    },
  });
}

function outputOf({ skippedCount, durationMs, truncated, ...counts }: VaultIndexReport): IndexVaultOutput {
  const status = truncated ? "truncated" : "complete";
  return { status, ...counts, skipped_count: skippedCount, duration_ms: durationMs };
}

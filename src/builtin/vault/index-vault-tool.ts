import type { JsonOutput } from "../../schema/index.ts";
import { type ToolFor, defineTool } from "../../tool/index.ts";
import type { VaultIndexReport } from "./vault-deps.ts";
import type { Vault } from "./vault.ts";
import { missingVault } from "./vault-reasons.ts";

const input = {
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
} as const;

const output = {
  type: "object",
  properties: {
    status: { enum: ["complete", "truncated"] },
    added: { type: "integer", minimum: 0 },
    updated: { type: "integer", minimum: 0 },
    removed: { type: "integer", minimum: 0 },
    renamed: { type: "integer", minimum: 0 },
    unchanged: { type: "integer", minimum: 0 },
    skipped: {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, why: { type: "string" } },
        required: ["path", "why"],
      },
    },
    skipped_count: { type: "integer", minimum: 0 },
    duration_ms: { type: "integer", minimum: 0 },
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
} as const;

type IndexVaultOutput = JsonOutput<typeof output>;

/** `index_vault`: brings the index of the notes up to date. */
export function indexVaultTool({ vault }: { readonly vault: Vault }): ToolFor<typeof input, IndexVaultOutput> {
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
    unavailable: () => missingVault(vault),
    input,
    output,
    run: async ({ paths, full }, { signal, progress }) => {
      const report = await vault.index({ full, signal, onProgress: progress, ...(paths !== undefined && { paths }) });
      return outputOf(report);
    },
  });
}

function outputOf({ skippedCount, durationMs, truncated, ...counts }: VaultIndexReport): IndexVaultOutput {
  const status = truncated ? "truncated" : "complete";
  return { status, ...counts, skipped_count: skippedCount, duration_ms: durationMs };
}

import { type ToolFor, defineTool } from "../../tool/index.ts";
import type { FileTree } from "./file-tree.ts";
import type { Vault } from "./vault.ts";
import { missingVault } from "./vault-reasons.ts";

const input = {
  type: "object",
  properties: {
    path: {
      type: "string",
      maxLength: 1024,
      description: "A folder, relative to the vault. Default: the whole vault.",
    },
    depth: { type: "integer", minimum: 1, maximum: 32, default: 5, description: "How many folders deep." },
    max_entries: {
      type: "integer",
      minimum: 1,
      maximum: 10_000,
      default: 1000,
      description: "Maximum number of files and folders; `truncated` is true if there are more.",
    },
    folders_only: { type: "boolean", default: false, description: "Leave the files out." },
  },
  additionalProperties: false,
  examples: [{}, { depth: 1 }],
} as const;

const output = {
  type: "object",
  properties: {
    path: { type: "string" },
    tree: { type: "array", items: { $ref: "#/$defs/node" } },
    files: { type: "integer" },
    folders: { type: "integer" },
    truncated: { type: "boolean" },
  },
  required: ["path", "tree", "files", "folders", "truncated"],
  $defs: {
    node: {
      type: "object",
      properties: {
        name: { type: "string" },
        type: { enum: ["file", "folder", "link", "other"] },
        size: { type: "integer" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
      },
      required: ["name", "type"],
    },
  },
} as const;

/** `get_file_tree`: the structure of the folder of notes. */
export function getFileTreeTool({ vault }: { readonly vault: Vault }): ToolFor<typeof input, FileTree> {
  return defineTool({
    name: "get_file_tree",
    aliases: ["getFileTree"],
    description:
      "Shows the folders and files of the vault (the folder of notes) as a tree with sizes, without hidden files and those " +
      "that .gitignore names. Use it to learn how notes are organized or to find a file by its location; to find " +
      "notes by their content use local_search.",
    displayName: "File tree",
    category: "file",
    tags: ["notes", "vault", "files"],
    capabilities: ["list", "文件结构"],
    effect: "read",
    timeoutMs: 30_000,
    unavailable: () => missingVault(vault),
    input,
    output,
    run: ({ path, depth, max_entries, folders_only }, { signal }) =>
      vault.tree({
        signal,
        ...(path !== undefined && { path }),
        depth,
        maxEntries: max_entries,
        foldersOnly: folders_only,
      }),
  });
}

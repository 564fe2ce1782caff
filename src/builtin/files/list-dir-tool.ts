import { type FileAccess, type WalkResult, showUserPath, showPath } from "../../file/index.ts";
import type { JsonOutput } from "../../schema/index.ts";
import { type ToolFor, defineTool } from "../../tool/index.ts";

const input = {
  type: "object",
  properties: {
    path: { type: "string", default: ".", description: "The folder, relative to the workspace." },
    depth: { type: "integer", minimum: 1, maximum: 20, default: 1, description: "How many levels to show." },
    hidden: { type: "boolean", default: false, description: "Include names that start with a dot." },
    gitignore: { type: "boolean", default: true, description: "Omit what .gitignore files name." },
    max_entries: {
      type: "integer",
      minimum: 1,
      maximum: 5000,
      default: 500,
      description: "Maximum number of entries.",
    },
  },
  additionalProperties: false,
  examples: [{ path: "." }, { path: "src", depth: 2 }],
} as const;

const output = {
  type: "object",
  properties: {
    path: { type: "string" },
    entries: {
      type: "array",
      items: {
        type: "object",
        properties: {
          name: { type: "string" },
          path: { type: "string" },
          type: { type: "string", enum: ["file", "folder", "link", "other"] },
          size: { type: "integer" },
          modified: { type: "string" },
        },
        required: ["name", "path", "type"],
      },
    },
    truncated: { type: "boolean" },
    unreadable: { type: "array", items: { type: "string" } },
  },
  required: ["path", "entries", "truncated"],
} as const;

type ListDirOutput = JsonOutput<typeof output>;

/** The tool `list_dir`: the entries of a folder. */
export function listDirTool({ files }: { readonly files: FileAccess }): ToolFor<typeof input, ListDirOutput> {
  return defineTool({
    name: "list_dir",
    description:
      "Lists a folder of the workspace: names, paths, types (file, folder, link, other), sizes and times, sorted by " +
      "name; with depth also the contents of its folders. Omits hidden entries and those in .gitignore, unless requested. " +
      "A deceptive character in a name is shown as <U+202E>; other tools accept the path as it is shown.",
    displayName: "List folder",
    category: "file",
    tags: ["file", "folder"],
    capabilities: ["list_files", "file", "列出文件", "文件"],
    effect: "read",
    timeoutMs: 30_000,
    aliases: ["list_directory"],
    input,
    output,
    run: async ({ path, depth, hidden, gitignore, max_entries }, { signal }) => {
      const walk = files.walk(path, { maxDepth: depth, maxEntries: max_entries, hidden, gitignore, signal });
      const entries: ListDirOutput["entries"][number][] = [];
      let step = await walk.next();
      for (; step.done !== true; step = await walk.next()) {
        const { name, path, type } = step.value;
        const facts = await step.value.facts();
        entries.push({
          name: showPath(name),
          path: showPath(path),
          type,
          ...(facts !== undefined && type === "file" && { size: facts.size }),
          ...(facts !== undefined && { modified: new Date(facts.modifiedMs).toISOString() }),
        });
      }
      return { path: showUserPath(path), entries, ...endOf(step.value) };
    },
  });
}

function endOf({ truncated, unreadable }: WalkResult): Pick<ListDirOutput, "truncated" | "unreadable"> {
  return { truncated, ...(unreadable.length > 0 && { unreadable: unreadable.map(showPath) }) };
}

import { type EntryType, type FileDoor, type WalkEnd, showGivenPath, showPath } from "../../file/index.ts";
import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";

/** What `list_dir` takes. */
export interface ListDirInput {
  readonly path?: string;
  readonly depth?: number;
  readonly hidden?: boolean;
  readonly gitignore?: boolean;
  readonly max_entries?: number;
}

/** One entry of a folder. */
export interface DirEntry {
  readonly name: string;
  readonly path: string;
  readonly type: EntryType;
  /** Bytes, of a file. */
  readonly size?: number;
  /** When it was changed last, in ISO 8601. */
  readonly modified?: string;
}

/** What `list_dir` gives. */
export interface ListDirOutput {
  readonly path: string;
  readonly entries: readonly DirEntry[];
  /** There are more. */
  readonly truncated: boolean;
  /** Folders that could not be read. */
  readonly unreadable?: readonly string[];
}

const defaultEntries = 500;

const inputJson: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string", default: ".", description: "The folder, relative to the workspace." },
    depth: { type: "integer", minimum: 1, maximum: 20, default: 1, description: "How many levels to show." },
    hidden: { type: "boolean", default: false, description: "Also names that start with a dot." },
    gitignore: { type: "boolean", default: true, description: "Leave out what .gitignore files name." },
    max_entries: {
      type: "integer",
      minimum: 1,
      maximum: 5000,
      default: defaultEntries,
      description: "At most so many entries.",
    },
  },
  additionalProperties: false,
  examples: [{ path: "." }, { path: "src", depth: 2 }],
};

const outputJson: JsonSchema = {
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
};

/** `list_dir`: what is in a folder. */
export function listDirTool({ files }: { readonly files: FileDoor }): Tool<ListDirInput, ListDirInput, ListDirOutput> {
  return defineTool({
    name: "list_dir",
    description:
      "Lists a folder of the workspace: names, paths, types (file, folder, link, other), sizes and times, sorted by " +
      "name; with depth also what is in its folders. Leaves out hidden entries and what .gitignore names, unless asked. " +
      "A character in a name that would deceive the eye stands as <U+202E>; other tools take the path as it is shown.",
    displayName: "List folder",
    category: "file",
    tags: ["file", "folder"],
    capabilities: ["list_files", "file", "列出文件", "文件"],
    effect: "read",
    timeoutMs: 30_000,
    aliases: ["list_directory"],
    input: fromJsonSchema<ListDirInput, ListDirInput>(inputJson),
    output: fromJsonSchema<ListDirOutput, ListDirOutput>(outputJson),
    run: async ({ path = ".", depth = 1, hidden = false, gitignore = true, max_entries = defaultEntries }, context) => {
      const { signal } = context;
      const walk = files.walk(path, { maxDepth: depth, maxEntries: max_entries, hidden, gitignore, signal });
      const entries: DirEntry[] = [];
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
      return { path: showGivenPath(path), entries, ...endOf(step.value) };
    },
  });
}

function endOf({ truncated, unreadable }: WalkEnd): Pick<ListDirOutput, "truncated" | "unreadable"> {
  return { truncated, ...(unreadable.length > 0 && { unreadable: unreadable.map(showPath) }) };
}

import { type EntryType, type FileAccess, type WalkResult, showUserPath, showPath } from "../../file/index.ts";
import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";

/** Input of `list_dir`. */
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
  /** Time of the last change, in ISO 8601. */
  readonly modified?: string;
}

/** Output of `list_dir`. */
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
    hidden: { type: "boolean", default: false, description: "Include names that start with a dot." },
    gitignore: { type: "boolean", default: true, description: "Omit what .gitignore files name." },
    max_entries: {
      type: "integer",
      minimum: 1,
      maximum: 5000,
      default: defaultEntries,
      description: "Maximum number of entries.",
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

/** The tool `list_dir`: the entries of a folder. */
export function listDirTool({
  files,
}: {
  readonly files: FileAccess;
}): Tool<ListDirInput, ListDirInput, ListDirOutput> {
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
      return { path: showUserPath(path), entries, ...endOf(step.value) };
    },
  });
}

function endOf({ truncated, unreadable }: WalkResult): Pick<ListDirOutput, "truncated" | "unreadable"> {
  return { truncated, ...(unreadable.length > 0 && { unreadable: unreadable.map(showPath) }) };
}

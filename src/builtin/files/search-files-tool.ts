import type { FileAccess } from "../../file/index.ts";
import { type ArgsFor, type ToolOf, defineTool } from "../../tool/index.ts";
import { type FileQuery, searchFiles } from "./search-files.ts";

const input = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, maxLength: 512, description: "The text or the pattern to search for." },
    pattern: {
      type: "string",
      minLength: 1,
      maxLength: 512,
      description: "The same as query: text unless regex is true.",
    },
    regex: { type: "boolean", default: false, description: "query is a regular expression (RE2)." },
    target: {
      type: "string",
      enum: ["contents", "names", "both"],
      default: "contents",
      description: "Search file contents, names, or both.",
    },
    path: { type: "string", default: ".", description: "The folder to search, relative to the workspace." },
    include: {
      anyOf: [
        { type: "string", minLength: 1 },
        { type: "array", items: { type: "string", minLength: 1 }, maxItems: 50 },
      ],
      description: 'Only files that match, as in .gitignore: "*.ts", or ["docs/", "*.md"].',
    },
    ignore_case: { type: "boolean", default: false, description: "Ignore case." },
    hidden: { type: "boolean", default: false, description: "Include names that start with a dot." },
    gitignore: { type: "boolean", default: true, description: "Omit what .gitignore files name." },
    max_results: {
      type: "integer",
      minimum: 1,
      maximum: 1000,
      default: 50,
      description: "Maximum number of matches.",
    },
  },
  oneOf: [{ required: ["query"] }, { required: ["pattern"] }],
  additionalProperties: false,
  examples: [{ query: "TODO" }, { query: "export (function|class)", regex: true, include: "*.ts" }],
} as const;

const output = {
  type: "object",
  properties: {
    matches: {
      type: "array",
      items: {
        type: "object",
        properties: {
          path: { type: "string" },
          line: { type: "integer" },
          column: { type: "integer" },
          excerpt: { type: "string" },
        },
        required: ["path"],
      },
    },
    files_searched: { type: "integer" },
    binary_files: { type: "integer" },
    skipped: {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, why: { type: "string" } },
        required: ["path", "why"],
      },
    },
    skipped_count: { type: "integer" },
    truncated: { type: "boolean" },
  },
  required: ["matches", "files_searched", "binary_files", "truncated"],
} as const;

/** The tool `search_files`: text or a pattern in names and contents of files. */
export function searchFilesTool({ files }: { readonly files: FileAccess }): ToolOf<typeof input, typeof output> {
  return defineTool({
    name: "search_files",
    description:
      "Searches the files of the workspace for a text, or with regex for a pattern (no lookaround, no backreferences), " +
      "line by line. Returns path, line, column and the line itself; target names searches file and folder names instead. " +
      "Omits hidden files and those in .gitignore, unless requested; `skipped` names what could not be searched completely.",
    displayName: "Search files",
    category: "file",
    tags: ["file", "search"],
    capabilities: ["search_files", "file", "搜索文件", "文件"],
    effect: "read",
    timeoutMs: 60_000,
    aliases: ["grep_files"],
    input,
    output,
    run: async (args, { signal }) => {
      const found = await searchFiles(files, { ...queryOf(args), signal });
      const { matches, filesSearched, binary, skipped, skippedCount, truncated } = found;
      const left = skippedCount > 0 && { skipped, skipped_count: skippedCount };
      return { matches, files_searched: filesSearched, binary_files: binary, ...left, truncated };
    },
  });
}

function queryOf(args: ArgsFor<typeof input>): FileQuery {
  return {
    // The schema guarantees one of them.
    query: args.query ?? args.pattern ?? "",
    regex: args.regex,
    ignoreCase: args.ignore_case,
    target: args.target,
    path: args.path,
    include: typeof args.include === "string" ? [args.include] : (args.include ?? []),
    hidden: args.hidden,
    gitignore: args.gitignore,
    maxResults: args.max_results,
  };
}

import { type FileDoor, type Written, showPath } from "../../file/index.ts";
import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { type Tool, defineTool } from "../../tool/index.ts";
import { refuseEdit } from "./file-tool-reasons.ts";

/** What `write_file` takes. */
export interface WriteFileInput {
  readonly path: string;
  readonly content: string;
  readonly encoding?: "utf-8" | "base64";
  readonly create_parents?: boolean;
  readonly overwrite?: boolean;
  readonly expected_sha256?: string;
}

/** What `write_file` gives. */
export type WriteFileOutput = Written;

const inputJson: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1, description: "The file, relative to the workspace: notes/today.md" },
    content: { type: "string", description: "All that the file is to hold." },
    encoding: {
      type: "string",
      enum: ["utf-8", "base64"],
      default: "utf-8",
      description: "How content is written: text, or bytes in base64.",
    },
    create_parents: { type: "boolean", default: false, description: "Make folders that are missing." },
    overwrite: { type: "boolean", default: true, description: "May a file that exists be replaced?" },
    expected_sha256: {
      type: "string",
      pattern: "^[0-9a-fA-F]{64}$",
      description: "Refuse unless the file still has this hash, as read_file gave it.",
    },
  },
  required: ["path", "content"],
  additionalProperties: false,
  examples: [{ path: "notes/today.md", content: "# Today\n", create_parents: true }],
};

const outputJson: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    bytes: { type: "integer" },
    sha256: { type: "string" },
    created: { type: "boolean" },
    changed: { type: "boolean" },
  },
  required: ["path", "bytes", "sha256", "created", "changed"],
};

/** `write_file`: replaces or makes a file, all at once. */
export function writeFileTool({
  files,
}: {
  readonly files: FileDoor;
}): Tool<WriteFileInput, WriteFileInput, WriteFileOutput> {
  return defineTool({
    name: "write_file",
    description:
      "Writes a whole file of the workspace: makes it, or replaces what it held. Readers see the old content or the " +
      "new, never a part. Gives the number of bytes and the sha256. To change a part of a file use edit_file.",
    displayName: "Write file",
    category: "file",
    tags: ["file", "text"],
    capabilities: ["write_file", "file", "写入文件", "文件"],
    // The same content twice is the same file; what it held before is gone, hence destructive.
    effect: "idempotent",
    destructive: true,
    timeoutMs: 30_000,
    input: fromJsonSchema<WriteFileInput, WriteFileInput>(inputJson),
    output: fromJsonSchema<WriteFileOutput, WriteFileOutput>(outputJson),
    run: async (args, { signal }) => {
      const content = args.encoding === "base64" ? fromBase64(args.content) : args.content;
      const written = await files.write(args.path, content, {
        createParents: args.create_parents === true,
        overwrite: args.overwrite !== false,
        ...(args.expected_sha256 !== undefined && { expected: { sha256: args.expected_sha256 } }),
        signal,
      });
      return { ...written, path: showPath(written.path) };
    },
  });
}

function fromBase64(content: string): Buffer {
  const plain = content.replace(/\s/g, "");
  // Node reads what it can and drops the rest, which would write another file than was meant.
  if (plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) {
    throw refuseEdit("bad_content", "content is no base64; write it in full, padding included");
  }
  return Buffer.from(plain, "base64");
}

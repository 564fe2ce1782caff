import { type FileAccess, type WriteFileResult, showPath } from "../../file/index.ts";
import { type ToolFor, defineTool } from "../../tool/index.ts";
import { fileToolFailure } from "./file-tool-reasons.ts";

const input = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1, description: "The file, relative to the workspace: notes/today.md" },
    content: { type: "string", description: "The complete content of the file." },
    encoding: {
      type: "string",
      enum: ["utf-8", "base64"],
      default: "utf-8",
      description: "How content is written: text, or bytes in base64.",
    },
    create_parents: { type: "boolean", default: false, description: "Create missing folders." },
    overwrite: { type: "boolean", default: true, description: "Allow replacing an existing file." },
    expected_sha256: {
      type: "string",
      pattern: "^[0-9a-fA-F]{64}$",
      description: "Refuse unless the file still has this hash, as returned by read_file.",
    },
  },
  required: ["path", "content"],
  additionalProperties: false,
  examples: [{ path: "notes/today.md", content: "# Today\n", create_parents: true }],
} as const;

const output = {
  type: "object",
  properties: {
    path: { type: "string" },
    bytes: { type: "integer" },
    sha256: { type: "string" },
    created: { type: "boolean" },
    changed: { type: "boolean" },
  },
  required: ["path", "bytes", "sha256", "created", "changed"],
} as const;

/** The tool `write_file`: replaces or creates a file atomically. */
export function writeFileTool({ files }: { readonly files: FileAccess }): ToolFor<typeof input, WriteFileResult> {
  return defineTool({
    name: "write_file",
    description:
      "Writes a whole file of the workspace: creates it, or replaces its content. Readers see the old content or the " +
      "new, never a part. Returns the number of bytes and the sha256. To change a part of a file use edit_file.",
    displayName: "Write file",
    category: "file",
    tags: ["file", "text"],
    capabilities: ["write_file", "file", "写入文件", "文件"],
    // Writing the same content twice has the same result; the previous content is lost, hence destructive.
    effect: "idempotent",
    destructive: true,
    targets: { path: "path" },
    timeoutMs: 30_000,
    input,
    output,
    run: async (args, { signal }) => {
      const content = args.encoding === "base64" ? fromBase64(args.content) : args.content;
      const written = await files.write(args.path, content, {
        createParents: args.create_parents,
        overwrite: args.overwrite,
        ...(args.expected_sha256 !== undefined && { expected: { sha256: args.expected_sha256 } }),
        signal,
      });
      return { ...written, path: showPath(written.path) };
    },
  });
}

function fromBase64(content: string): Buffer {
  const plain = content.replace(/\s/g, "");
  // Node decodes what it can and drops the rest, which would write another file than intended.
  if (plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) {
    throw fileToolFailure("bad_content", "content is not valid base64; send it completely, including padding");
  }
  return Buffer.from(plain, "base64");
}

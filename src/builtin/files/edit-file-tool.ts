import {
  type FileBeforeEdit,
  type DecodedText,
  type FileAccess,
  canEncode,
  decodeInParts,
  encodeText,
  fileFailure,
  sha256Of,
  showPath,
  createFileYielder,
} from "../../file/index.ts";
import type { EventLoopYielder } from "../../base/index.ts";
import { type ArgsFor, type ToolOf, defineTool } from "../../tool/index.ts";
import { applyEdits, undoEdits } from "./apply-edits.ts";
import { lineDiff } from "./line-diff.ts";

const input = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1, description: "The file, relative to the workspace: src/main.ts" },
    edits: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      description: "The replacements, made in this order.",
      items: {
        type: "object",
        properties: {
          old_text: {
            type: "string",
            minLength: 1,
            // `write_file` replaces more.
            maxLength: 1_000_000,
            description: "The text to replace, exactly as it is.",
          },
          new_text: {
            type: "string",
            maxLength: 1_000_000,
            description: "The replacement; empty to remove the text.",
          },
          all: { type: "boolean", default: false, description: "Replace it wherever it is." },
        },
        required: ["old_text", "new_text"],
        additionalProperties: false,
      },
    },
    old_text: {
      type: "string",
      minLength: 1,
      maxLength: 1_000_000,
      description: "In place of edits: the text to replace, exactly as it is.",
    },
    new_text: {
      type: "string",
      maxLength: 1_000_000,
      description: "With old_text: the replacement; empty to remove the text.",
    },
    all: { type: "boolean", description: "With old_text: replace all occurrences." },
    expected_sha256: {
      type: "string",
      pattern: "^[0-9a-fA-F]{64}$",
      description: "Refuse unless the file still has this hash, as returned by read_file.",
    },
  },
  required: ["path"],
  oneOf: [{ required: ["edits"], properties: { all: false } }, { required: ["old_text", "new_text"] }],
  additionalProperties: false,
  examples: [{ path: "notes.md", edits: [{ old_text: "draft", new_text: "final" }] }],
} as const;

const output = {
  type: "object",
  properties: {
    path: { type: "string" },
    replacements: { type: "integer" },
    bytes: { type: "integer" },
    sha256: { type: "string" },
    changed: { type: "boolean" },
    diff: { type: "string" },
    truncated: { type: "boolean" },
  },
  required: ["path", "replacements", "bytes", "sha256", "changed", "diff", "truncated"],
} as const;

/** The tool `edit_file`: exact replacements in a text file, all or none. */
export function editFileTool({ files }: { readonly files: FileAccess }): ToolOf<typeof input, typeof output> {
  return defineTool({
    name: "edit_file",
    description:
      "Changes parts of a text file of the workspace. Each edit replaces old_text, copied exactly from the file, with " +
      "new_text; it must occur exactly once, or all must be true. The edits are made in order, all or " +
      "none; a single one may be given as old_text and new_text without the list. Returns the sha256 and a short diff. Pass expected_sha256 from read_file to make sure that the file has not changed.",
    displayName: "Edit file",
    category: "file",
    tags: ["file", "text"],
    capabilities: ["edit_file", "file", "编辑文件", "文件"],
    // An edit may match its own result ("a" -> "a, a"), so that a second run would change the file again. With the hash
    // of the previous file, a second run detects that the edits were made and changes nothing.
    effect: ({ expected_sha256 }) => (expected_sha256 === undefined ? "once" : "idempotent"),
    destructive: true,
    targets: { path: "path" },
    timeoutMs: 30_000,
    input,
    output,
    run: async (args, { signal }) => {
      const yielder = createFileYielder(signal);
      let change: Change = { bytes: Buffer.alloc(0), replacements: 0, diff: "", truncated: false };
      const written = await files.edit(
        args.path,
        async (before) => {
          change = await changeOf(before, args, yielder);
          return change.bytes;
        },
        { signal },
      );
      const { path, bytes, sha256, changed } = written;
      const { replacements, diff, truncated } = change;
      return { path: showPath(path), replacements, bytes, sha256, changed, diff, truncated };
    },
  });
}

interface Change {
  readonly bytes: Buffer;
  readonly replacements: number;
  readonly diff: string;
  readonly truncated: boolean;
}

async function changeOf(
  before: FileBeforeEdit,
  args: ArgsFor<typeof input>,
  yielder: EventLoopYielder,
): Promise<Change> {
  const { bytes } = before;
  const { old_text = "", new_text = "", all = false } = args;
  const edits = args.edits ?? [{ old_text, new_text, all }];
  const path = showPath(before.path);
  const decoded = await decodeInParts(bytes, { path: before.path }, yielder);
  if (decoded.lossy || !canEncode(decoded.encoding)) {
    throw fileFailure("bad_encoding", `${path} is not UTF-8 or UTF-16, and would lose characters; convert it first`);
  }
  const expected = args.expected_sha256?.toLowerCase();
  if (expected !== undefined && before.sha256 !== expected) {
    const undone = await undoEdits(decoded.text, edits, yielder);
    const isDone = undone !== undefined && (await sha256Of(encode(undone, decoded))) === expected;
    if (isDone) return { bytes, replacements: 0, diff: "", truncated: false };
    throw fileFailure("changed", `${path} changed since it was read; read it again, then decide`);
  }
  const { text, replacements } = await applyEdits(decoded.text, edits, yielder);
  const diff = lineDiff(decoded.text, text);
  await yielder.yieldIfDue();
  return { bytes: encode(text, decoded), replacements, ...diff };
}

/** Encodes in the original encoding, which is one that can be written. */
function encode(text: string, decoded: DecodedText): Buffer {
  return encodeText(text, decoded) ?? Buffer.from(text, "utf8");
}

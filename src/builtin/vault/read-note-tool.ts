import { definedOnly } from "../../base/index.ts";
import { type ToolFor, defineTool } from "../../tool/index.ts";
import type { Note } from "./read-note.ts";
import type { Vault } from "./vault.ts";
import { missingVault } from "./vault-reasons.ts";

const input = {
  type: "object",
  properties: {
    note: {
      type: "string",
      minLength: 1,
      maxLength: 1024,
      description: "A path, `path:line`, `path:first-last`, `path#heading` or [[name]].",
    },
    from_line: { type: "integer", minimum: 1, description: "First line to read, counted from 1." },
    to_line: { type: "integer", minimum: 1, description: "Last line to read, included." },
    max_characters: {
      type: "integer",
      minimum: 1,
      maximum: 200_000,
      default: 20_000,
      description: "Maximum characters of text; `truncated` is true if there is more.",
    },
  },
  required: ["note"],
  additionalProperties: false,
  examples: [{ note: "ideas.md" }],
} as const;

const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;

const output = {
  type: "object",
  properties: {
    path: text,
    title: text,
    text,
    lines: { type: "array", items: { type: "integer" } },
    headings: {
      type: "array",
      items: {
        type: "object",
        properties: { text, level: { type: "integer" }, line: { type: "integer" } },
        required: ["text", "level", "line"],
      },
    },
    tags: texts,
    links: texts,
    modified: text,
    cite: text,
    truncated: { type: "boolean" },
    next_line: { type: "integer" },
    code_fence: text,
  },
  required: ["path", "title", "text", "lines", "headings", "tags", "links", "modified", "cite", "truncated"],
} as const;

/** `read_note`: a note, or the part of it that a citation names. */
export function readNoteTool({ vault }: { readonly vault: Vault }): ToolFor<typeof input, Note> {
  return defineTool({
    name: "read_note",
    aliases: ["readNote"],
    description:
      "Reads a note of the vault, or a part of it, with its headings, tags and links, and how to cite it. `note` is " +
      "the `path` or `cite` that local_search returns: a path, `path:line` for the section that begins on that line or " +
      "else the lines around it, `path:first-last`, `path#heading`, or the name in a [[wiki link]]. If the result is " +
      "truncated, continue with from_line set to next_line.",
    displayName: "Read note",
    category: "file",
    tags: ["notes", "vault"],
    capabilities: ["read", "阅读", "笔记"],
    effect: "read",
    timeoutMs: 30_000,
    unavailable: () => missingVault(vault),
    input,
    output,
    run: ({ note, from_line, to_line, max_characters }) =>
      vault.read(note, {
        ...definedOnly({ from: from_line, to: to_line }),
        maxCharacters: max_characters,
      }),
  });
}

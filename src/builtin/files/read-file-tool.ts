import {
  type FileAccess,
  type ReadFileResult,
  decodeInParts,
  sha256Of,
  showPath,
  createFileYielder,
} from "../../file/index.ts";
import type { EventLoopYielder } from "../../base/index.ts";
import type { JsonOutput } from "../../schema/index.ts";
import { type ArgsFor, type ToolFor, defineTool } from "../../tool/index.ts";
import { fileToolFailure } from "./file-tool-reasons.ts";
import { afterLineEnds, countLineEnds } from "./line-ends.ts";

/** More than this is too much for a model; the rest is read by ranges. */
const maxChars = 200_000;

const input = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1, description: "The file, relative to the workspace: notes/today.md" },
    start_line: { type: "integer", description: "The first line to return; 1 by default, negative from the end." },
    end_line: { type: "integer", description: "The last line to return; the end of the file by default." },
    offset: { type: "integer", minimum: 0, description: "The first byte to return, instead of lines." },
    length: { type: "integer", minimum: 1, description: "The number of bytes to return, with offset." },
    line_numbers: { type: "boolean", default: false, description: "Put its number before every line." },
    encoding: {
      type: "string",
      description: "Such as utf-8, gbk or base64. Default: detected by a byte order mark, else UTF-8.",
    },
  },
  required: ["path"],
  additionalProperties: false,
  examples: [{ path: "notes.md" }, { path: "notes.md", start_line: 1, end_line: 20, line_numbers: true }],
} as const;

const output = {
  type: "object",
  properties: {
    path: { type: "string" },
    content: { type: "string" },
    encoding: { type: "string" },
    size: { type: "integer" },
    truncated: { type: "boolean" },
    sha256: { type: "string" },
    start_line: { type: "integer" },
    end_line: { type: "integer" },
    total_lines: { type: "integer" },
    next_line: { type: "integer" },
    next_offset: { type: "integer" },
    note: { type: "string" },
  },
  required: ["path", "content", "encoding", "size", "truncated"],
} as const;

type ReadFileArgs = ArgsFor<typeof input>;
type ReadFileOutput = JsonOutput<typeof output>;

/** The tool `read_file`: text of a file, whole or in part. */
export function readFileTool({ files }: { readonly files: FileAccess }): ToolFor<typeof input, ReadFileOutput> {
  return defineTool({
    name: "read_file",
    description:
      "Reads a text file of the workspace and returns its content, with the encoding, the size, and the sha256 that " +
      "edit_file and write_file take to make sure that the file has not changed. Read a part of a long file by lines " +
      "(start_line, end_line; -20 is the 20th line from the end) or by bytes (offset, length); next_line or " +
      'next_offset says where to continue. Read a binary file with the encoding "base64".',
    displayName: "Read file",
    category: "file",
    tags: ["file", "text"],
    capabilities: ["read_file", "file", "读取文件", "文件"],
    effect: "read",
    timeoutMs: 30_000,
    input,
    output,
    run: async (args, { signal }) => {
      checkRange(args);
      const { offset = 0 } = args;
      const maxBytes = byBytes(args) ? Math.min(args.length ?? maxChars, maxChars) : files.maxBytes;
      const file = await files.read(args.path, { offset, maxBytes, signal });
      return args.encoding === "base64"
        ? await asBase64(file, offset)
        : await asText(file, args, createFileYielder(signal));
    },
  });
}

function byBytes({ offset, length, encoding }: ReadFileArgs): boolean {
  return offset !== undefined || length !== undefined || encoding === "base64";
}

function checkRange(args: ReadFileArgs): void {
  const lines = args.start_line !== undefined || args.end_line !== undefined || args.line_numbers;
  if (byBytes(args) && lines) {
    throw fileToolFailure("bad_range", "read either lines (start_line, end_line) or bytes (offset, length, base64)");
  }
}

async function asBase64(file: ReadFileResult, offset: number): Promise<ReadFileOutput> {
  return { ...(await facts(file, offset)), encoding: "base64", content: file.bytes.toString("base64") };
}

async function asText(file: ReadFileResult, args: ReadFileArgs, yielder: EventLoopYielder): Promise<ReadFileOutput> {
  const { offset = 0 } = args;
  const options = {
    path: file.path,
    cut: file.truncated,
    from: offset > 0 ? "middle" : "start",
    ...(args.encoding !== undefined && { encoding: args.encoding }),
  } as const;
  const { text, encoding, lossy } = await decodeInParts(file.bytes, options, yielder);
  const note = lossy ? { note: `some bytes are not ${encoding} and are shown as \ufffd; name the encoding` } : {};
  if (byBytes(args)) return { ...(await facts(file, offset)), encoding, content: text, ...note };
  const { start_line: start = 1, end_line: end, line_numbers: numbered } = args;
  const lines = await selectLines(text, { start, end, numbered, maxChars }, yielder);
  return { ...(await facts(file, 0)), ...lineFacts(lines, file), encoding, content: lines.content, ...note };
}

function lineFacts(
  { start, end, total, next, cutLine }: SelectedLines,
  file: ReadFileResult,
): Partial<ReadFileOutput> & Pick<ReadFileOutput, "truncated"> {
  return {
    start_line: start,
    end_line: end,
    // The lines of a file that was not read to its end are not counted.
    ...(!file.truncated && { total_lines: total }),
    truncated: file.truncated || next !== undefined || cutLine,
    ...(next !== undefined && { next_line: next }),
  };
}

async function facts(
  file: ReadFileResult,
  offset: number,
): Promise<Pick<ReadFileOutput, "path" | "size" | "truncated">> {
  const whole = offset === 0 && !file.truncated;
  const next = offset + file.bytes.length;
  return {
    path: showPath(file.path),
    size: file.size,
    truncated: file.truncated,
    ...(whole && { sha256: await sha256Of(file.bytes) }),
    ...(file.truncated && { next_offset: next }),
  };
}

/** The lines of a text to show. */
interface LineRange {
  /** 1 is the first line; -1 the last one. */
  readonly start: number;
  /** The last line, inclusive. Default: the end of the text. */
  readonly end: number | undefined;
  readonly numbered: boolean;
  /** Longer content is cut, after a whole line if possible. */
  readonly maxChars: number;
}

/** Some lines of a text. */
interface SelectedLines {
  readonly content: string;
  readonly start: number;
  /** The last line that is shown, at least in part. */
  readonly end: number;
  readonly total: number;
  /** First line of the range that did not fit. */
  readonly next: number | undefined;
  /** True if the last line is longer than what may be shown. */
  readonly cutLine: boolean;
}

/** Selects lines of a text. Their line ends are unchanged. */
async function selectLines(text: string, range: LineRange, yielder: EventLoopYielder): Promise<SelectedLines> {
  // A line end after the last line does not begin a new one.
  const total = (await countLineEnds(text, text.length, yielder)) + (text === "" || text.endsWith("\n") ? 0 : 1);
  const [first, last] = boundsOf(range, total);
  const from = await afterLineEnds(text, first - 1, yielder);
  const picked = pick(text.slice(from), { range, first, last });
  const facts = { start: first, total };
  if (picked.length === last - first + 1) {
    const ended = last === total && picked.length > 0 && text.endsWith("\n");
    const content = picked.join("\n") + (ended ? "\n" : "");
    return { ...facts, content, end: last, next: undefined, cutLine: false };
  }
  const end = first + Math.max(picked.length, 1) - 1;
  const next = end < last ? end + 1 : undefined;
  if (picked.length > 0) return { ...facts, content: picked.join("\n"), end, next, cutLine: false };
  const part = text.slice(from, from + range.maxChars);
  const content = (range.numbered ? `${first}\t${part}` : part).slice(0, range.maxChars).toWellFormed();
  return { ...facts, content, end, next, cutLine: true };
}

/** Returns the lines from the beginning of the text, as many as fit. */
function pick(
  text: string,
  {
    range: { numbered, maxChars },
    first,
    last,
  }: { readonly range: LineRange; readonly first: number; readonly last: number },
): string[] {
  const picked: string[] = [];
  let [at, chars] = [0, -1];
  for (let number = first; number <= last; number++) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end === -1 ? text.length : end);
    const shown = numbered ? `${number}\t${line}` : line;
    chars += 1 + shown.length;
    if (chars > maxChars) break;
    picked.push(shown);
    at += line.length + 1;
  }
  return picked;
}

/** Returns the first and the last line of a range, as numbers from 1. */
function boundsOf({ start, end = -1 }: LineRange, total: number): [first: number, last: number] {
  const first = start < 0 ? Math.max(1, total + start + 1) : start;
  const last = Math.min(end < 0 ? total + end + 1 : end, total);
  if (start === 0 || (first > total && total > 0)) {
    throw fileToolFailure("bad_range", `there is no line ${start}; the text has ${total} lines, counted from 1`);
  }
  if (last < first && total > 0) throw fileToolFailure("bad_range", `line ${end} comes before line ${start}`);
  return [first, last];
}

import { textOf } from "../../schema/index.ts";
import type { AnyTool, PromptSender, ToolPrompt } from "../../tool/index.ts";
import { llmSummarizeTool } from "./llm-summarize-tool.ts";
import { createPromptSender, type WritingServices } from "./prompt-sender.ts";
import { readWritingFile, writingFileNames } from "./read-writing-file.ts";
import { type Issue, formatPath } from "../../base/index.ts";

type Args = Readonly<Record<string, unknown>>;

/** The part of a tool that is code: an addition to its file. */
interface Addition {
  readonly prompt?: Partial<ToolPrompt>;
  /** Makes the output of the tool from the model's answer, which matches the schema of the file. */
  readonly finish: (answer: never, args: Args) => unknown;
}

/** The model writes only the text. */
const asText = (source: string): Addition => ({
  prompt: { schema: undefined },
  finish: (text: string, args) => toWrittenText(text, args[source]),
});

const additions: Readonly<Record<string, Addition>> = {
  code_generator: {
    prompt: { check: checkPaths },
    finish: (code: CodeBundle, { language }) => ({ ...code, language }),
  },
  code_reviewer: {
    // A model that lists a grave issue and approves nevertheless is overruled.
    finish: (review: { readonly issues: readonly { readonly severity: string }[]; readonly approved: boolean }) => ({
      ...review,
      approved: review.approved && !review.issues.some(({ severity }) => /^(?:critical|high)$/.test(severity)),
    }),
  },
  code_fixer: {
    prompt: { check: checkPaths },
    finish: (fixed: CodeBundle, { code }) => mergeFix(readBundle(code), fixed),
  },
  outline_generator: {
    finish: (outline: Args, { topic, style = outline["style"], audience = outline["audience"] }) => ({
      ...outline,
      topic,
      style,
      audience,
    }),
  },
  content_writer: asText("outline"),
  content_reviser: asText("content"),
};

/** Returns the tool that the file of this name defines. */
export function writingTool(name: string, services: WritingServices): AnyTool {
  const sender = createPromptSender(services);
  const { prompt: added, finish } = additions[name] ?? {};
  const send: PromptSender["send"] = async (prompt, args, context) => {
    const answer = await sender.send({ ...prompt, ...added }, args, context);
    return finish === undefined ? answer : finish(answer as never, args);
  };
  return readWritingFile(name, { ...sender, send }).tool;
}

/**
 * Returns the tools that write and review with a model.
 *
 * @example
 * ```ts
 * const engine = createEngine({ tools: writingTools({ model: openModel(settings, { http }) }) });
 * ```
 */
export function writingTools(services: WritingServices): AnyTool[] {
  const own = llmSummarizeTool(services);
  return writingFileNames().map((name) => (name === own.name ? own : writingTool(name, services)));
}

/** A text that was written. */
interface WrittenText {
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  /** Number of words; in scripts without spaces, of characters. */
  readonly words: number;
}

/** Returns a text with its title: its first heading, or the alternative. */
function toWrittenText(content: string, otherwise: unknown): WrittenText {
  const [, heading] = /^#[^\S\n]+(.+)$/m.exec(content) ?? [];
  return { title: heading?.trim() ?? titleOf(otherwise), content, words: countWords(content) };
}

/** Returns the title of an outline, or of a text that was written before. */
function titleOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  const { title, topic } = value as Record<string, unknown>;
  return [title, topic].find((text) => typeof text === "string") ?? "";
}

function countWords(text: string): number {
  return text.match(/[\u3040-\u30ff\u3400-\u9fff]|[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0;
}

/** A file of code. */
interface CodeFile {
  readonly path: string;
  readonly content: string;
}

/** Code and its tests: the output of `code_generator` and the input of `test_runner`. */
interface CodeBundle {
  readonly language: string;
  readonly files: readonly CodeFile[];
  readonly tests: readonly CodeFile[];
  readonly notes: string;
}

/** Returns the problems of the paths of a bundle: each must be a distinct file inside the folder. */
function checkPaths(bundle: Pick<CodeBundle, "files" | "tests">): Issue[] {
  const seen = new Set<string>();
  return (["files", "tests"] as const).flatMap((list) =>
    bundle[list].flatMap(({ path }, at) => {
      const wrong = wrongWith(path, seen);
      seen.add(path.toLowerCase());
      const where = [list, at, "path"];
      return wrong === undefined ? [] : [{ path: where, code: "bad_path", message: `${formatPath(where)} ${wrong}` }];
    }),
  );
}

function wrongWith(path: string, seen: ReadonlySet<string>): string | undefined {
  if (seen.has(path.toLowerCase())) return `is given twice: ${JSON.stringify(path)}`;
  const isPlain = path
    .split("/")
    .every((part) => part !== "" && part !== "." && part !== ".." && !/[\\:*?"<>|\p{Cc}]/u.test(part));
  return isPlain
    ? undefined
    : `must be a relative path with forward slashes and without "..", got ${JSON.stringify(path)}`;
}

/** Returns the value as a bundle if it has that shape, regardless of its origin. */
function readBundle(value: unknown): CodeBundle | undefined {
  if (typeof value !== "object" || value === null || !("files" in value)) return undefined;
  const { files, tests, language, notes } = value as Record<string, unknown>;
  const [code, checks] = [asFiles(files), asFiles(tests ?? [])];
  if (code === undefined || checks === undefined) return undefined;
  return { language: textOf(language), files: code, tests: checks, notes: textOf(notes) };
}

function asFiles(value: unknown): CodeFile[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every(isFile) ? value.map(({ path, content }) => ({ path, content })) : undefined;
}

function isFile(value: unknown): value is CodeFile {
  if (typeof value !== "object" || value === null || !("path" in value) || !("content" in value)) return false;
  return typeof value.path === "string" && typeof value.content === "string";
}

/** Completes the output of `code_fixer` with files that the model omitted; a test stays a test in either list. */
function mergeFix(before: CodeBundle | undefined, fixed: CodeBundle): CodeBundle {
  if (before === undefined) return fixed;
  const testPaths = new Set([...before.tests, ...fixed.tests].map(({ path }) => path));
  const isTest = ({ path }: CodeFile): boolean => testPaths.has(path);
  const changed = [...fixed.files, ...fixed.tests];
  return {
    ...fixed,
    language: before.language === "" ? fixed.language : before.language,
    files: mergeFiles(
      before.files,
      changed.filter((file) => !isTest(file)),
    ).filter((file) => !isTest(file)),
    tests: mergeFiles(before.tests, changed.filter(isTest)),
  };
}

/** Returns the previous files, with changed ones replaced and new ones at the end. */
function mergeFiles(before: readonly CodeFile[], changed: readonly CodeFile[]): CodeFile[] {
  const byPath = new Map([...before, ...changed].map((file) => [file.path, file]));
  return [...byPath.values()];
}

import { type AnyTool, type PromptSender, type ToolPrompt } from "../../tool/index.ts";
import { type CodeBundle, checkPaths, mergeFix, readBundle } from "./code-bundle.ts";
import { llmSummarizeTool } from "./llm-summarize-tool.ts";
import { createPromptSender } from "./prompt-sender.ts";
import { readWritingFile, writingFileNames } from "./read-writing-file.ts";
import type { WritingServices } from "./writing-services.ts";
import { toWrittenText } from "./written-text.ts";

type Args = Readonly<Record<string, unknown>>;

/** The part of a tool that is code: an addition to its file. */
interface Addition {
  readonly prompt?: Partial<ToolPrompt>;
  /** Makes the output of the tool from the model's answer, which matches the schema of the file. */
  readonly finish: (answer: never, args: Args) => unknown;
}

interface Review {
  readonly issues: readonly { readonly severity: string }[];
  readonly approved: boolean;
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
    finish: (review: Review) => ({
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

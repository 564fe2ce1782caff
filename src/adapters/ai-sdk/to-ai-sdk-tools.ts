import type { Schema, Tool as AiSdkTool } from "ai";
import type { Failure } from "../../base/index.ts";
import type { Engine } from "../../engine/index.ts";
import type { JsonSchema } from "../../schema/index.ts";
import type { Attachment } from "../../tool/index.ts";
import {
  type ExposeToolsOptions,
  type ExposedResult,
  type ExposedTool,
  exposeTools,
} from "../frameworks/expose-tools.ts";

/** Options of {@link toAiSdkTools}. */
export interface AiSdkToolsOptions extends ExposeToolsOptions {
  /**
   * Pass images, audio and files of results to the model. Only for providers that accept them in tool results, such as
   * Anthropic and Google; others would send them as text. Default: false, and a line of text mentions them.
   */
  readonly files?: boolean;
}

/** An attachment of a result, with its bytes in base64. */
export interface AiSdkAttachment extends Omit<Attachment, "data"> {
  readonly data: string;
}

/** Output of a tool for the AI SDK: plain JSON, so that it survives in stored messages. */
export type AiSdkToolOutput = {
  readonly callId: string;
  /** The text that the model reads. */
  readonly text: string;
} & (
  | { readonly success: true; readonly output: unknown; readonly attachments?: readonly AiSdkAttachment[] }
  | { readonly success: false; readonly error: Failure }
);

/** A tool of an engine as the AI SDK takes it. */
export type EngineAiSdkTool = AiSdkTool<unknown, AiSdkToolOutput> & {
  readonly execute: NonNullable<AiSdkTool<unknown, AiSdkToolOutput>["execute"]>;
};

/**
 * The tools of an engine for `generateText`, `streamText` and `ToolLoopAgent` of the AI SDK. Every call goes through
 * the engine: validated, subject to its rules, recorded, cancelled by the run's signal. A failure, also a missing
 * approval, is returned as a result with an explanation; permissions are decided by the engine's rules, never by
 * `needsApproval`.
 *
 * @example
 * ```ts
 * const agent = new ToolLoopAgent({ model, tools: toAiSdkTools(engine, { conversationId: "c-1" }) });
 * ```
 *
 * @see docs/guide/interop.md
 */
export function toAiSdkTools(engine: Engine, options: AiSdkToolsOptions = {}): Record<string, EngineAiSdkTool> {
  const { files = false, ...offer } = options;
  const offered = exposeTools(engine, offer, "ai-sdk");
  return Object.fromEntries(offered.map((tool) => [tool.name, toAiSdkTool(tool, files)]));
}

function toAiSdkTool(offered: ExposedTool, files: boolean): EngineAiSdkTool {
  return {
    title: offered.displayName,
    description: offered.description,
    inputSchema: schemaOf(offered.schema),
    execute: async (args, { toolCallId, abortSignal, messages }) => {
      const conversation = messages.map(({ role, content }) => ({ by: authors[role], content }));
      const toolOutput = await offered.call({ args, toolCallId, signal: abortSignal, conversation });
      // The caller that cancelled expects no answer, and an agent must not continue with one.
      const { result } = toolOutput;
      if (!result.success && result.error.code === "cancelled") abortSignal?.throwIfAborted();
      return outputOf(toolOutput);
    },
    toModelOutput: ({ output }) => {
      if (!output.success) return { type: "error-text", value: output.text };
      const attachments = files ? (output.attachments ?? []) : [];
      if (attachments.length === 0) return { type: "text", value: output.text };
      return { type: "content", value: [{ type: "text", text: output.text }, ...attachments.map(toFilePart)] };
    },
  };
}

const authors = { system: "user", user: "user", assistant: "model", tool: "tool" } as const;

/** A schema that only describes: the engine validates the arguments, and reports what is wrong with them. */
function schemaOf(jsonSchema: JsonSchema): Schema {
  // Like `jsonSchema()` of the AI SDK, which need not be loaded for that.
  const schema: unknown = { [schemaSymbol]: true, _type: undefined, jsonSchema, validate: undefined };
  return schema as Schema;
}

const schemaSymbol: unique symbol = Symbol.for("vercel.ai.schema") as never;

function outputOf({ result, text }: ExposedResult): AiSdkToolOutput {
  const { callId } = result.meta;
  if (!result.success) return { success: false, callId, text, error: result.error };
  const attachments = result.attachments?.map((attachment) => ({
    ...attachment,
    data: Buffer.from(attachment.data).toString("base64"),
  }));
  return { success: true, callId, text, output: result.output, ...(attachments !== undefined && { attachments }) };
}

function toFilePart({ mimeType, name, data }: AiSdkAttachment) {
  const filename = name === undefined ? {} : { filename: name };
  return { type: "file" as const, mediaType: mimeType, data: { type: "data" as const, data }, ...filename };
}

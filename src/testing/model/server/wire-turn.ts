import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { FinishReason } from "../../model.ts";
import { foldParts } from "../fold-parts.ts";
import {
  type ScriptedPart,
  type ScriptedToolCall,
  type ScriptedTurn,
  type ScriptedUsage,
  argumentsOf,
  finishReasonOf,
} from "../scripted-answer.ts";
import { piecesOf, streamOf } from "../scripted-stream.ts";
import { systemClock } from "../../../base/index.ts";
import type { WireFaults } from "./wire-fault.ts";

/** An answer in detail, and what goes wrong on its way. */
export interface ServerTurn extends ScriptedTurn {
  readonly wire?: WireFaults;
}

/** A tool call as it goes over the wire. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
  readonly signature: string | undefined;
}

/** An answer with everything that the wire needs. */
export interface WireTurn {
  /** Counts the answers of a server from 1. */
  readonly number: number;
  readonly thinking: string | undefined;
  readonly signature: string | undefined;
  readonly text: string | undefined;
  readonly calls: readonly WireCall[];
  readonly finishReason: FinishReason;
  readonly usage: ScriptedUsage | null;
  readonly faults: WireFaults;
  readonly pieces: (text: string) => readonly string[];
}

/** What a script leaves to the server: ids of calls, and signatures. */
export interface Naming {
  readonly number: number;
  readonly nextId: () => string;
  readonly sign: (text: string) => string;
  /** The API signs the first call of an answer, whether the model thought aloud or not. */
  readonly signsCalls: boolean;
}

/** Raw parts as a turn. The error in them cuts the stream there; a pause has no place on the wire. */
export async function turnOfParts(parts: readonly ScriptedPart[]): Promise<ServerTurn> {
  const end = parts.findIndex((part) => part instanceof Error);
  const said = end === -1 ? parts : parts.slice(0, end);
  if (!said.every(isStreamPart))
    throw new TypeError(
      "a pause among raw parts is for a scripted model; a server takes pieceDelayMs or wire.hangAtChunk",
    );
  const { content, finishReason } = await foldParts(streamOf(said, { clock: systemClock, signal: undefined }));
  const textOf = (type: "text" | "reasoning"): string | undefined => {
    const texts = content.flatMap((part) => (part.type === type ? [part.text] : []));
    return texts.length === 0 ? undefined : texts.join("");
  };
  const [text, thinking] = [textOf("text"), textOf("reasoning")];
  return {
    ...(text !== undefined && { text }),
    ...(thinking !== undefined && { thinking }),
    toolCalls: content.flatMap((part) =>
      part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, argumentsText: part.input }] : [],
    ),
    ...(finishReason.unified !== "other" && { finishReason: finishReason.unified }),
    ...(end !== -1 && { wire: { cut: { chunk: Infinity } } }),
  };
}

function isStreamPart(part: ScriptedPart): part is LanguageModelV4StreamPart {
  return !(part instanceof Error) && part.type !== "pause";
}

/** A scripted turn with its ids, its signatures, and those faults that are in what it says. */
export function toWireTurn(turn: ServerTurn, naming: Naming): WireTurn {
  const { wire: faults = {}, thinking, toolCalls = [] } = turn;
  const inText = faults.thinkTags === true;
  const signature = thinking === undefined || inText ? undefined : (turn.signature ?? naming.sign(thinking));
  const calls = toolCalls.map((call, at) => {
    const signed = naming.signsCalls && at === 0 ? (turn.signature ?? naming.sign(argumentsOf(call))) : undefined;
    return toWireCall(call, naming.nextId(), signed);
  });
  return {
    number: naming.number,
    thinking: inText ? undefined : thinking,
    signature,
    text: textOf(turn, faults),
    calls: faults.cutArguments === true ? withCutArguments(calls) : calls,
    finishReason: faults.cutArguments === true ? "length" : finishReasonOf(turn),
    usage: usageOf(turn, faults),
    faults,
    pieces: piecesBy(faults),
  };
}

function toWireCall(call: ScriptedToolCall, id: string, signature: string | undefined): WireCall {
  return {
    id: call.id ?? id,
    name: call.name,
    argumentsText: argumentsOf(call),
    signature: call.signature ?? signature,
  };
}

function textOf({ text, thinking }: ServerTurn, { thinkTags, leakedRole = false }: WireFaults): string | undefined {
  const role = leakedRole === false ? "" : `${leakedRole === true ? "assistant" : leakedRole}\n\n`;
  const thought = thinkTags === true && thinking !== undefined ? `<think>${thinking}</think>\n\n` : "";
  return text === undefined && role + thought === "" ? undefined : `${role}${thought}${text ?? ""}`;
}

function withCutArguments(calls: readonly WireCall[]): readonly WireCall[] {
  return calls.map((call, at) =>
    at === calls.length - 1
      ? { ...call, argumentsText: call.argumentsText.slice(0, Math.ceil(call.argumentsText.length / 2)).toWellFormed() }
      : call,
  );
}

function usageOf({ usage }: ServerTurn, { omit }: WireFaults): ScriptedUsage | null {
  if (omit?.includes("usage") === true) return null;
  return usage === undefined ? { inputTokens: 10, outputTokens: 5 } : usage;
}

function piecesBy({ chunkChars, thinkTags }: WireFaults): (text: string) => readonly string[] {
  const size = chunkChars ?? (thinkTags === true ? 3 : undefined);
  if (size === undefined) return piecesOf;
  return (text) => {
    const characters = Array.from(text);
    const pieces: string[] = [];
    for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(""));
    return pieces;
  };
}

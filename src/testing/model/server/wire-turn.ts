import type { FinishReason } from "../../../model/index.ts";
import { foldParts } from "../fold-parts.ts";
import {
  type ScriptedPart,
  type ScriptedTurn,
  type ScriptedUsage,
  argumentsOf,
  scriptedFinishReason,
} from "../scripted-response.ts";
import { piecesOf, streamOf } from "../scripted-stream.ts";
import { systemClock, definedOnly } from "../../../base/index.ts";
import type { WireFaults } from "./wire-api.ts";

/** A detailed response with wire faults. */
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

/** A response with everything that the wire needs. */
export interface WireTurn {
  /** Counts the responses of a server from 1. */
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

/** Values that a script leaves to the server: call ids and signatures. */
interface TurnIds {
  readonly number: number;
  readonly nextId: () => string;
  readonly sign: (text: string) => string;
  /** The API signs the first call of a response, with or without visible thinking. */
  readonly signsCalls: boolean;
}

/** Raw parts as a turn. An error among them cuts the stream there; a pause cannot be sent over the wire. */
export async function turnOfParts(parts: readonly ScriptedPart[]): Promise<ServerTurn> {
  const end = parts.findIndex((part) => part instanceof Error);
  const described = end === -1 ? parts : parts.slice(0, end);
  if (!described.every((part) => !(part instanceof Error) && part.type !== "pause"))
    throw new TypeError(
      "a pause among raw parts only works with a scripted model; use pieceDelayMs or wire.hangAtChunk with a server",
    );
  const { content, finishReason } = await foldParts(streamOf(described, { clock: systemClock, signal: undefined }));
  const textOfType = (type: "text" | "reasoning"): string | undefined => {
    const texts = content.flatMap((part) => (part.type === type ? [part.text] : []));
    return texts.length === 0 ? undefined : texts.join("");
  };
  const [text, thinking] = [textOfType("text"), textOfType("reasoning")];
  return {
    ...definedOnly({ text, thinking }),
    toolCalls: content.flatMap((part) =>
      part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, argumentsText: part.input }] : [],
    ),
    ...(finishReason.unified !== "other" && { finishReason: finishReason.unified }),
    ...(end !== -1 && { wire: { cut: { chunk: Infinity } } }),
  };
}

/** A scripted turn with its ids, its signatures, and the faults that concern its content. */
export function toWireTurn(turn: ServerTurn, naming: TurnIds): WireTurn {
  const { wire: faults = {}, thinking, toolCalls = [] } = turn;
  const inText = faults.thinkTags === true;
  const signature = thinking === undefined || inText ? undefined : (turn.signature ?? naming.sign(thinking));
  const calls = toolCalls.map((call, at) => {
    const signed = naming.signsCalls && at === 0 ? (turn.signature ?? naming.sign(argumentsOf(call))) : undefined;
    return {
      id: call.id ?? naming.nextId(),
      name: call.name,
      argumentsText: argumentsOf(call),
      signature: call.signature ?? signed,
    };
  });
  return {
    number: naming.number,
    thinking: inText ? undefined : thinking,
    signature,
    text: responseText(turn, faults),
    calls: faults.cutArguments === true ? withCutArguments(calls) : calls,
    finishReason: faults.cutArguments === true ? "length" : scriptedFinishReason(turn),
    usage: usageOf(turn, faults),
    faults,
    pieces: piecesBy(faults),
  };
}

function responseText(
  { text, thinking }: ServerTurn,
  { thinkTags, leakedRole = false }: WireFaults,
): string | undefined {
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

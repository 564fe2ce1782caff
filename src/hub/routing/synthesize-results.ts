import { raceLimits, textOrJson, errorMessage } from "../../base/index.ts";
import { cutJson, cutText, fencedDataRule, fenceData, stripUnsafe } from "../../text/index.ts";
import type { HubLimits } from "./hub-limits.ts";
import type { ToolKind } from "./tool-kind.ts";
import type { ChoiceDeps } from "./choice-deps.ts";

/** Sends a prompt to a model and returns its response. It should end when the signal is aborted. */
export type Synthesizer = (prompt: string, signal: AbortSignal) => Promise<string>;

/** The result of one tool. */
export interface SourceResult {
  readonly source: string;
  readonly output: unknown;
}

/** Input of {@link synthesizeResults}. */
export interface SynthesisRequest extends Pick<ChoiceDeps, "limits" | "synthesiser" | "redactor" | "clock"> {
  /** The request to the tools, shown to the model. */
  readonly request: { readonly tool: string; readonly arguments: unknown };
  readonly kind: ToolKind;
  readonly results: readonly SourceResult[];
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/** One text from several results, and the method. */
export interface Synthesis {
  readonly text: string;
  readonly by: "model" | "merge";
}

/**
 * Creates one text from the results of several tools: by a model if there is one and the results are few and short;
 * else, and if the model fails or takes too long, by joining their beginnings.
 */
export async function synthesizeResults(requested: SynthesisRequest): Promise<Synthesis> {
  const { results, limits, synthesiser } = requested;
  const merged = (): Synthesis => ({ text: mergeTexts(results, limits.mergeChars), by: "merge" });
  if (synthesiser === undefined || results.length > limits.synthesisResults) return merged();
  const total = results.reduce((sum, { output }) => sum + textOrJson(output).length, 0);
  if (total > limits.synthesisChars) return merged();
  const answer = await answerInTime(promptFor(requested), { ...requested, synthesiser });
  return answer === undefined ? merged() : { text: cutText(answer, limits.answerChars).text, by: "model" };
}

/** The beginnings of all results, each under its source. */
export function mergeTexts(results: readonly SourceResult[], maxChars: number): string {
  return results.map(({ source, output }) => `[${source}] ${shortened(output, maxChars)}`).join("\n\n");
}

/** Characters of each result that a model reads, by the number of results. */
export function charsFor(kind: ToolKind, count: number, limits: HubLimits): number {
  switch (kind) {
    case "calculate":
      return limits.calculateChars;
    case "search":
      return count <= 2 ? limits.searchFewChars : limits.searchChars;
    case "extract":
      return limits.extractChars;
    case "time":
    case "other":
      return limits.otherChars;
  }
}

function promptFor({ request, kind, results, limits, redactor }: SynthesisRequest): string {
  const limit = charsFor(kind, results.length, limits);
  // Before it is cut: half of a secret is not known for one.
  const safe = (value: unknown): unknown => (redactor === undefined ? value : redactor.value(value));
  const parts = [
    fenceData("request", shortened(safe(request), limits.synthesisChars)),
    ...results.map(({ source, output }) => fenceData(source, shortened(safe(output), limit))),
  ];
  return (
    "Several tools answered the same request. Write one answer from their results. Keep what they say; where they " +
    "contradict each other, say which source says what; do not add anything. Answer in the language of the " +
    "results, in plain text.\n" +
    `${fencedDataRule}\n\n${parts.join("\n\n")}`
  );
}

/** The beginning of an output: a text ends with a sentence, and another value stays valid JSON. */
function shortened(output: unknown, maxChars: number): string {
  if (typeof output === "string") return cutText(stripUnsafe(output).trim(), maxChars).text;
  return stripUnsafe(cutJson(output, Math.max(maxChars, 3)).text);
}

/** The response of the model; undefined if it fails, is empty, or takes too long. */
async function answerInTime(
  prompt: string,
  { synthesiser, clock, limits, signal, log }: SynthesisRequest & { readonly synthesiser: Synthesizer },
): Promise<string | undefined> {
  const ms = limits.synthesisTimeoutMs;
  const late = (): Error => new DOMException(`no answer within ${ms} ms`, "AbortError");
  const cancelled = (): Error => new DOMException("the call was stopped", "AbortError");
  try {
    const answer = await raceLimits({ clock, ms, late, signal, cancelled }, (either) => synthesiser(prompt, either));
    const clean = typeof answer === "string" ? stripUnsafe(answer).trim() : "";
    return clean === "" ? undefined : clean;
  } catch (error) {
    log(`the results were merged without a model: ${errorMessage(error)}`);
    return undefined;
  }
}

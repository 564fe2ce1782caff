import type { Clock } from "../../base/index.ts";
import { type Redactor, cutJson, cutText, dataRule, fenceData, stripUnsafe } from "../../text/index.ts";
import type { HubLimits } from "./hub-limits.ts";
import type { ToolKind } from "./tool-kind.ts";

/** Puts a prompt to a model and gives its answer. It should end when the signal is aborted. */
export type Synthesiser = (prompt: string, signal: AbortSignal) => Promise<string>;

/** The result of one tool. */
export interface SourceResult {
  readonly source: string;
  readonly output: unknown;
}

/** What {@link synthesise} takes. */
export interface SynthesisRequest {
  /** What the tools were asked, shown to the model. */
  readonly request: { readonly tool: string; readonly arguments: unknown };
  readonly kind: ToolKind;
  readonly results: readonly SourceResult[];
  readonly limits: HubLimits;
  readonly synthesiser: Synthesiser | undefined;
  /** Hides secrets in what the model reads: arguments may hold some. */
  readonly redactor: Redactor | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/** One text made of several results, and what made it. */
export interface Synthesis {
  readonly text: string;
  readonly by: "model" | "merge";
}

/**
 * One text from the results of several tools: by a model where there is one and the results are few and short, else,
 * and where the model fails or takes too long, by putting the beginnings of them together.
 */
export async function synthesise(asked: SynthesisRequest): Promise<Synthesis> {
  const { results, limits, synthesiser } = asked;
  const merged = (): Synthesis => ({ text: mergeTexts(results, limits.mergeChars), by: "merge" });
  if (synthesiser === undefined || results.length > limits.synthesisResults) return merged();
  const total = results.reduce((sum, { output }) => sum + textOf(output).length, 0);
  if (total > limits.synthesisChars) return merged();
  const answer = await answerInTime(promptFor(asked), { ...asked, synthesiser });
  return answer === undefined ? merged() : { text: cutText(answer, limits.answerChars).text, by: "model" };
}

/** The beginnings of all results, each under its source. */
export function mergeTexts(results: readonly SourceResult[], mostChars: number): string {
  return results.map(({ source, output }) => `[${source}] ${shortened(output, mostChars)}`).join("\n\n");
}

/** How much a model reads of each of so many results. */
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
  const most = charsFor(kind, results.length, limits);
  // Before it is cut: half of a secret is not known for one.
  const safe = (value: unknown): unknown => (redactor === undefined ? value : redactor.value(value));
  const parts = [
    fenceData("request", shortened(safe(request), limits.synthesisChars)),
    ...results.map(({ source, output }) => fenceData(source, shortened(safe(output), most))),
  ];
  return (
    "Several tools answered the same request. Write one answer from their results. Keep what they say; where they " +
    "contradict each other, say which source says what; add nothing of your own. Answer in the language of the " +
    "results, in plain text.\n" +
    `${dataRule}\n\n${parts.join("\n\n")}`
  );
}

/** The beginning of an output: of a text up to the end of a sentence, of a value as valid JSON. */
function shortened(output: unknown, mostChars: number): string {
  if (typeof output === "string") return cutText(stripUnsafe(output).trim(), mostChars).text;
  return stripUnsafe(cutJson(output, Math.max(mostChars, 3)).text);
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : (JSON.stringify(output) ?? "");
}

/** What the model says, unless it fails, says nothing, or takes too long: then undefined, at once. */
async function answerInTime(
  prompt: string,
  { synthesiser, clock, limits, signal, log }: SynthesisRequest & { readonly synthesiser: Synthesiser },
): Promise<string | undefined> {
  const stopping = new AbortController();
  const stop = (why: string): void => stopping.abort(new DOMException(why, "AbortError"));
  const onAbort = (): void => stop("the call was stopped");
  const timer = clock.after(limits.synthesisMs, () => stop(`no answer within ${limits.synthesisMs} ms`));
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  try {
    const stopped = new Promise<never>((_, reject) => {
      const refuse = (): void => reject(stopping.signal.reason as Error);
      stopping.signal.addEventListener("abort", refuse);
      if (stopping.signal.aborted) refuse();
    });
    const answer = await Promise.race([synthesiser(prompt, stopping.signal), stopped]);
    const clean = typeof answer === "string" ? stripUnsafe(answer).trim() : "";
    return clean === "" ? undefined : clean;
  } catch (error) {
    log(`the results were merged without a model: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", onAbort);
  }
}

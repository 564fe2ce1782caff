import type { CompiledValue, ValueReference } from "../../expr/index.ts";
import { isRecord } from "../../schema/index.ts";
import { listed } from "./sentence.ts";
import { showShort } from "./show-reference.ts";
import type { StepSite } from "./step-site.ts";

/** What the tool got, where each parameter came from, and which of it nobody vouches for. */
export function explainInput(site: StepSite, untrusted: readonly string[]): string[] {
  const { state } = site;
  if (state.input === undefined) return [];
  return [...parameters(site), ...doubtful(untrusted), ...swallowed(site)];
}

function parameters(site: StepSite): string[] {
  const { references, secrets } = paramsOf(site);
  const byName = Map.groupBy(references, ({ valuePath }) => String(valuePath[0] ?? ""));
  const hidden = new Set(secrets.map(({ valuePath }) => String(valuePath[0] ?? "")));
  return [...byName].map(([name, used]) => {
    const from = listed([...new Set(used.map(({ text }) => text))]);
    const subject = name === "" ? "Its input" : `Parameter ${name}`;
    const got = received(name, used, site);
    if (got === undefined) return `${subject} was left out, because ${from} was missing.`;
    return hidden.has(name) ? `${subject} was ${got}.` : `${subject} was ${got}, from ${from}.`;
  });
}

/** The input is that of the fallback where one was tried. */
export function paramsOf({ state: { step, fallbackTool } }: StepSite): CompiledValue {
  const entry = step.onFailure.fallback.find(({ target }) => target.name === fallbackTool);
  return entry?.params ?? step.params;
}

/** As the tool got it; of a `for_each`, as the first item got it. Undefined where it was left out. */
function received(name: string, references: readonly ValueReference[], site: StepSite): string | undefined {
  const { input, step } = site.state;
  const each = step.forEach !== undefined && Array.isArray(input);
  const args: unknown = each ? input[0] : input;
  if (name !== "" && !(isRecord(args) && Object.hasOwn(args, name))) return undefined;
  const value = showShort(name === "" || !isRecord(args) ? args : args[name], site);
  const differs = each && references.some(({ root }) => root === "item" || root === "index");
  return differs ? `${value} for the first item` : value;
}

function doubtful(untrusted: readonly string[]): string[] {
  if (untrusted.length === 0) return [];
  const [verb, pronoun] = untrusted.length === 1 ? ["is", "it comes"] : ["are", "they come"];
  return [`${listed(untrusted)} ${verb} untrusted: ${pronoun} from tools that read the outside world.`];
}

function swallowed({ state }: StepSite): string[] {
  const paths = [...new Set(state.missing ?? [])];
  if (paths.length === 0) return [];
  return [`${listed(paths)} ${paths.length === 1 ? "was" : "were"} missing, and the language accepts that there.`];
}

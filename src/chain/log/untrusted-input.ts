import { formatPath } from "../../base/index.ts";
import { untrusted } from "../plan/untrusted.ts";
import { paramsOf } from "./explain-input.ts";
import { type StepSite, chainCall } from "./step-site.ts";

/** The parameters of a step that come from the world outside, as people write them: `metadata.sources`. */
export function untrustedInput(site: StepSite): readonly string[] {
  const { run, plan, callers, state } = site;
  if (plan === undefined) return [];
  let values = untrusted(run.plan);
  for (const [place, caller] of callers.entries()) {
    const call = chainCall(caller, callers[place + 1] ?? state);
    const parts = call === undefined ? [] : values.partsOf(call.params, caller.step);
    const inputs = parts.map(({ reference }) => String(reference.valuePath[0]));
    values = untrusted(call?.plan ?? plan, inputs);
  }
  return values.partsOf(paramsOf(site), state.step).map(({ reference }) => formatPath(reference.valuePath));
}

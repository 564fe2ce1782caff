import type { Workspace } from "../app/index.ts";
import { faultOf, howToHaveModel } from "../model/index.ts";
import type { Finding } from "./finding.ts";
import { formatCount } from "./format-figures.ts";
import { oneLine } from "./format-table.ts";

/** Runners that answer without a model, if not as well. */
export const worksAlone: ReadonlySet<string> = new Set(["vault"]);

/** Usual where `agent:` says nothing. */
const usualRounds = 4;

/** Looks at what `windlass ask` and `windlass chat` would work with; asks nobody. */
export function examineAgent({ config: { agent }, models }: Pick<Workspace, "config" | "models">): Finding[] {
  const about = "agent";
  const { runner, model = "default", maxRounds = usualRounds, tokenBudget, costBudget, tools } = agent;
  const has = models.names.includes(model);
  if (!has && !worksAlone.has(runner)) {
    const message = `${runner} needs a model, and there is none; ask --runner vault answers from the notes`;
    // Where there is no model at all, that was told with how to have one.
    const todo = models.names.length === 0 ? {} : { todo: howToHaveModel({ names: models.names }) };
    return [{ about, status: "off", message, ...todo }];
  }
  if (!worksAlone.has(runner) && faultOf(models.get(model)) !== undefined) {
    // What is wrong with the model was told with it.
    return [{ about, status: "off", message: `${runner} cannot ask the model ${oneLine(model)} as it is set up` }];
  }
  const limits = [
    `at most ${formatCount(maxRounds, "round")} of tool calls`,
    ...(tokenBudget === undefined ? [] : [formatCount(tokenBudget, "token")]),
    ...(costBudget === undefined ? [] : [`a cost of ${costBudget}`]),
    ...(tools === undefined ? [] : [`the tools ${tools.map(oneLine).join(", ")}`]),
  ];
  const asks = has ? `${runner} asks the model ${oneLine(model)}` : `${runner} answers from the notes, without a model`;
  return [{ about, status: "ok", message: `${asks}; ${limits.join(", ")}` }];
}

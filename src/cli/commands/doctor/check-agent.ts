import { cliCommand } from "../../../base/index.ts";
import type { Workspace } from "../../../app/index.ts";
import { faultOf, modelSetupHint } from "../../../model/index.ts";
import type { Finding } from "./finding.ts";
import { formatCount } from "../../terminal/format-figures.ts";
import { toOneLine } from "../../terminal/format-table.ts";

/** Runners that can answer without a model. */
export const worksAlone: ReadonlySet<string> = new Set(["vault"]);

/** Checks the settings of `windlass ask` and `windlass chat`; sends no requests. */
export function examineAgent({ config: { agent }, models }: Pick<Workspace, "config" | "models">): Finding[] {
  const about = "agent";
  const { runner, model = "default", maxRounds, tokenBudget, costBudget, tools } = agent;
  const has = models.names.includes(model);
  if (!has && !worksAlone.has(runner)) {
    const message = `runner ${runner} needs a model, and none is configured; \`${cliCommand("ask")} --runner vault\` works without one`;
    // If no model is configured at all, that finding already says how to configure one.
    const todo = models.names.length === 0 ? {} : { todo: modelSetupHint({ names: models.names }) };
    return [{ about, status: "off", message, ...todo }];
  }
  if (!worksAlone.has(runner) && faultOf(models.get(model)) !== undefined) {
    // The finding of the model already says what is wrong.
    return [
      { about, status: "off", message: `runner ${runner} cannot use the model ${toOneLine(model)} as configured` },
    ];
  }
  const limits = [
    `at most ${formatCount(maxRounds, "round")} of tool calls`,
    ...(tokenBudget === undefined ? [] : [formatCount(tokenBudget, "token")]),
    ...(costBudget === undefined ? [] : [`a cost of ${costBudget}`]),
    ...(tools === undefined ? [] : [`the tools ${tools.map(toOneLine).join(", ")}`]),
  ];
  const summary = has
    ? `runner ${runner} uses the model ${toOneLine(model)}`
    : `runner ${runner} answers from the notes, without a model`;
  return [{ about, status: "ok", message: `${summary}; ${limits.join(", ")}` }];
}

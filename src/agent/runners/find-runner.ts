import { fail } from "../../base/index.ts";
import { suggest } from "../../text/index.ts";
import { crewRunner } from "./crew/crew-runner.ts";
import type { Runner } from "../run/runner.ts";
import { autonomousRunner, llmRunner } from "./autonomous-runner.ts";
import { type RunnerName, runnerNames } from "./options/runner-options.ts";
import { plannedRunner } from "./planned/answer-planned.ts";
import { projectRunner } from "./project/project-runner.ts";
import { vaultRunner } from "./vault/vault-runner.ts";

const runners: Readonly<Record<RunnerName, Runner>> = {
  autonomous: autonomousRunner,
  planned: plannedRunner,
  vault: vaultRunner,
  project: projectRunner,
  crew: crewRunner,
  llm: llmRunner,
};

/** The runner of this name; throws with a list of names if there is none. */
export function findRunner(name: string): Runner {
  const found = Object.values(runners).find((runner) => runner.name === name);
  if (found !== undefined) return found;
  const suggestion = suggest(name, runnerNames);
  const hint = suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
  throw fail(`there is no runner ${JSON.stringify(name)}: use one of ${runnerNames.join(", ")}${hint}`, {
    code: "validation_error",
  });
}

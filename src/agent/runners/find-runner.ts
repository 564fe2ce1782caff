import { fail } from "../../base/index.ts";
import { suggest } from "../../text/index.ts";
import { crewRunner } from "./crew/crew-runner.ts";
import type { Runner } from "../runner.ts";
import { autonomousRunner } from "./autonomous-runner.ts";
import { llmRunner } from "./llm-runner.ts";
import { plannedRunner } from "./planned/planned-runner.ts";
import { projectRunner } from "./project/project-runner.ts";
import { vaultRunner } from "./vault/vault-runner.ts";

const runners: readonly Runner[] = [autonomousRunner, plannedRunner, vaultRunner, projectRunner, crewRunner, llmRunner];

/** The names of the runners there are. */
export const runnerNames: readonly string[] = runners.map(({ name }) => name);

/** The runner of this name; throws with those there are. */
export function findRunner(name: string): Runner {
  const found = runners.find((runner) => runner.name === name);
  if (found !== undefined) return found;
  const meant = suggest(name, runnerNames);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  throw fail(`there is no runner ${JSON.stringify(name)}: use one of ${runnerNames.join(", ")}${hint}`, {
    code: "validation_error",
  });
}

import assert from "node:assert/strict";
import type { AgentContender } from "./contender.ts";
import { loadContender } from "./load-contender.ts";
import type { Work } from "./work.ts";

/** Conversations of an agent with a model that responds immediately: `10x8` means ten turns of eight calls each. */
export async function agentWork([file = "", size = "", variant]: readonly string[]): Promise<Work> {
  const { AgentScript, answer, promptText: prompt } = await import("./contenders/agent-workload.ts");
  const [turns = 0, calls = 0] = size.split("x").map(Number);
  const bad = new AgentScript({ turns: 1, calls: 1 }, () => ({ query: "", limit: 1000 }));
  const refusing = await loadContender<AgentContender>(file, bad, variant);
  // The contender may give up, or report the error to the model and continue.
  await refusing.run().catch(() => {});
  assert.equal(bad.ran, 0, "a contender that is listed as validating accepted bad arguments");
  const script = new AgentScript({ turns, calls });
  const contender = await loadContender<AgentContender>(file, script, variant);
  const once = async (): Promise<void> => {
    script.begin();
    const text = await contender.run();
    if (text !== answer) throw new Error(`the agent answered ${prompt} with ${text}`);
    if (script.ran !== turns * calls) throw new Error(`expected ${turns * calls} calls, got ${script.ran}`);
  };
  script.looks = true;
  await once();
  script.looks = false;
  return {
    units: turns,
    prepare: (repetitions) => async () => {
      for (let index = 0; index < repetitions; index++) await once();
    },
  };
}

import { agentOptions } from "../agent-options.ts";
import { followAgent } from "../agent-session.ts";
import type { RunCommand } from "../command-spec.ts";
import { tellBroken } from "../open-tools.ts";
import { prepareForAgent } from "../prepare-servers.ts";
import { readImages } from "../read-image.ts";
import { readQuestion } from "../read-question.ts";
import { withRuns } from "../run-session.ts";
import { tellAgent } from "../tell-agent.ts";
import { tellUnguarded } from "../tell-unguarded.ts";
import { UsageError } from "../usage-error.ts";

/** `windlass ask`. */
export const askAgent: RunCommand = async (invocation) => {
  if (invocation.flag("json") && invocation.flag("events")) {
    throw new UsageError("--json and --events exclude each other", "--events ends with the answer");
  }
  const { text, piped } = await readQuestion(invocation);
  const images = await readImages(invocation.texts("image"));
  return withRuns(invocation, async (session) => {
    const { workspace, interrupts } = session;
    const agent = await workspace.agent(agentOptions(invocation, workspace));
    await prepareForAgent(agent.spec, { workspace, terminal: invocation.terminal, signal: interrupts.signal });
    tellBroken(workspace, invocation);
    tellUnguarded(workspace, invocation);
    const conversationId = invocation.text("conversation");
    const asked = {
      ...(conversationId !== undefined && { conversationId }),
      ...(images.length > 0 && { images }),
      ...(piped === "part" && { tainted: true }),
      ...(piped === "all" && { fromOutside: true }),
    };
    return tellAgent(await followAgent(session, (how) => agent.run(text, { ...how, ...asked })), session);
  });
};

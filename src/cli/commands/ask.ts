import { agentOptions } from "../agent-options.ts";
import { followAgent } from "../agent-session.ts";
import type { RunCommand } from "../command-spec.ts";
import type { Invocation } from "../invocation.ts";
import { prepareForAgent } from "../prepare-servers.ts";
import { readImages } from "../read-image.ts";
import { readQuestion } from "../read-question.ts";
import { withRuns } from "../run-session.ts";
import { tellAgent } from "../tell-agent.ts";
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
    const said = piped === "all" && agent.spec.runner === "planned" ? withoutCommands(text, invocation) : text;
    const conversationId = invocation.text("conversation");
    const asked = {
      ...(conversationId !== undefined && { conversationId }),
      ...(images.length > 0 && { images }),
      ...(piped !== "nothing" && { tainted: true }),
    };
    return tellAgent(await followAgent(session, (how) => agent.run(said, { ...how, ...asked })), session);
  });
};

/** The names of commands in a text that is from outside are names: only the person here gives commands. */
function withoutCommands(text: string, { terminal }: Invocation): string {
  const plain = text.replaceAll(/(?<![\p{L}\p{N}_.\\])[@＠](?=\p{L})/gu, String.raw`\$&`);
  if (plain !== text) {
    terminal.tell(
      `${terminal.tint("yellow", "note:")} a command such as @vault counts on the command line, not on stdin`,
    );
  }
  return plain;
}

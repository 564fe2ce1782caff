import { isFailureError } from "../../base/index.ts";
import { agentOptions } from "../agent-options.ts";
import { followAgent } from "../agent-session.ts";
import type { RunCommand } from "../command-spec.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { prepareForAgent } from "../prepare-servers.ts";
import { readImages } from "../read-image.ts";
import { readQuestion } from "../read-question.ts";
import { printFailure, tellError } from "../report-error.ts";
import { type RunSession, withRuns } from "../run-session.ts";
import { tellAgent, withoutModel } from "../tell-agent.ts";
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
    const conversationId = invocation.text("conversation");
    const asked = {
      ...(conversationId !== undefined && { conversationId }),
      ...(images.length > 0 && { images }),
      ...(piped && { tainted: true }),
    };
    return orWithoutModel(session, async () =>
      tellAgent(await followAgent(session, (how) => agent.run(text, { ...how, ...asked })), session),
    );
  });
};

/** Where there is no model, that is a matter of what is set up, and no failure of the run. */
async function orWithoutModel({ invocation }: RunSession, work: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    if (!isFailureError(error) || error.reason !== "no_model") throw error;
    const { terminal } = invocation;
    tellError(terminal, { message: error.message, code: `${error.code}: ${error.reason}`, hints: withoutModel });
    if (invocation.flag("json")) printFailure(terminal, error.code, error.message);
    return exitCodes.usage;
  }
}

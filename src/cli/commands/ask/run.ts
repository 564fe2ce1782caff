import { agentOptions, followAgent, settingsIn } from "../../open/agent-session.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { reportBrokenFiles } from "../../open/open-tools.ts";
import { prepareForAgent } from "../../open/prepare-servers.ts";
import { type PromptText, readPrompt } from "./read-prompt.ts";
import { withLocalRuns, withRemoteRuns } from "../../open/run-session.ts";
import { reportAgentResult } from "../../open/report-agent-result.ts";
import { warnUnmatchedRules } from "../../open/warn-unmatched-rules.ts";
import { UsageError } from "../../program/usage-error.ts";
import { readFile, stat } from "node:fs/promises";
import { type PromptImage, agentTable } from "../../../agent/index.ts";
import type { ExitCode } from "../../program/exit-codes.ts";
import type { Invocation } from "../../program/invocation.ts";
import type { RemotePrompt } from "../../remote/remote-workspace.ts";
import { formatBytes } from "../../terminal/format-figures.ts";

/** `windlass ask`. */
export const askAgent: RunCommand = async (invocation) => {
  if (invocation.flag("json") && invocation.flag("events")) {
    throw new UsageError(
      "--json and --events exclude each other",
      "--events already prints the answer as its last event",
    );
  }
  const { text, piped } = await readPrompt(invocation);
  // Their type is detected from their content, not from their names.
  const images = await Promise.all(invocation.texts("image").map(readImage));
  if (invocation.server !== undefined) return promptRemotely(invocation, { text, piped, images });
  return withLocalRuns(invocation, async (session) => {
    const { workspace, interrupts } = session;
    const agent = await workspace.agent(agentOptions(invocation, workspace));
    await prepareForAgent(agent.spec, { workspace, terminal: invocation.terminal, signal: interrupts.signal });
    reportBrokenFiles(workspace, invocation);
    warnUnmatchedRules(workspace, invocation);
    const conversationId = invocation.text("conversation");
    const request = {
      ...(conversationId !== undefined && { conversationId }),
      ...(images.length > 0 && { images }),
      ...(piped === "part" && { tainted: true }),
      ...(piped === "all" && { untrusted: true }),
    };
    return reportAgentResult(await followAgent(session, (how) => agent.run(text, { ...how, ...request })), session);
  });
};

/** Sends the prompt to an agent of the server, and follows its run. */
function promptRemotely(
  invocation: Invocation,
  { text, piped, images }: PromptText & { readonly images: readonly PromptImage[] },
): Promise<ExitCode> {
  return withRemoteRuns(invocation, async (session) => {
    const { workspace } = session;
    const { runner, model, maxRounds } = settingsIn(invocation, agentTable);
    const conversationId = invocation.text("conversation");
    const body = {
      prompt: text,
      ...(conversationId !== undefined && { conversation_id: conversationId }),
      ...(model !== undefined && { model }),
      ...(maxRounds !== undefined && { max_rounds: maxRounds }),
      ...(images.length > 0 && { images: images.map(({ mimeType, data }) => ({ mime_type: mimeType, data })) }),
      ...(piped !== "nothing" && { untrusted: piped }),
    };
    // Its type was detected from its content.
    const message = body as RemotePrompt;
    const name = runner ?? (await workspace.defaultRunner());
    return reportAgentResult(await followAgent(session, (how) => workspace.sendMessage(name, message, how)), session);
  });
}

/** Larger images are rejected by every model. */
const maxBytes = 20 * 1024 * 1024;

/** Signatures of the image types that models accept. */
const kinds: readonly (readonly [mimeType: string, begins: (bytes: Buffer) => boolean])[] = [
  ["image/png", (bytes) => bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))],
  ["image/jpeg", (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ["image/gif", (bytes) => /^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))],
  ["image/webp", (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString("latin1", 0, 12))],
];

async function readImage(file: string): Promise<PromptImage> {
  const shown = JSON.stringify(file);
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) throw new UsageError(`--image: file not found: ${shown}`);
  if (found.size > maxBytes) {
    throw new UsageError(`--image: ${shown} has ${formatBytes(found.size)}; the maximum is ${formatBytes(maxBytes)}`);
  }
  const bytes = await readFile(file);
  const mimeType = kinds.find(([, begins]) => begins(bytes))?.[0];
  if (mimeType === undefined) throw new UsageError(`--image: ${shown} is not a PNG, JPEG, GIF or WebP image`);
  return { mimeType, data: bytes.toString("base64") };
}

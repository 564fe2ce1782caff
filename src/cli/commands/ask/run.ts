import { agentOptions, followAgent } from "../../open/agent-session.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { reportBrokenFiles } from "../../open/open-tools.ts";
import { prepareForAgent } from "../../open/prepare-servers.ts";
import { readPrompt } from "./read-prompt.ts";
import { withLocalRuns } from "../../open/run-session.ts";
import { reportAgentResult } from "../../open/report-agent-result.ts";
import { warnUnmatchedRules } from "../../open/warn-unmatched-rules.ts";
import { UsageError } from "../../program/usage-error.ts";
import { readFile, stat } from "node:fs/promises";
import type { PromptImage } from "../../../agent/index.ts";
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

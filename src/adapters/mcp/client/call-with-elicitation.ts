import { fail, isFailureError } from "../../../base/index.ts";
import { answerElicitation } from "./answer-elicitation.ts";
import type { McpCallOptions } from "../../../hub/index.ts";
import { mcpFailure } from "./mcp-reasons.ts";

/** Delay between two attempts if a server only requests a retry. */
const retryIntervalMs = 250;

/** Options of {@link callWithElicitation}. */
export interface ElicitingCall {
  readonly server: string;
  readonly call: McpCallOptions;
  readonly maxRounds: number;
  /** Sends the request, with these additional parameters. */
  send(added: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  wait(ms: number): Promise<void>;
  /** Called for elicitations that no user sees. */
  readonly log: (message: string) => void;
}

/** Makes a call that may return elicitations instead of a result, and answers them until there is a result. */
export async function callWithElicitation(call: ElicitingCall): Promise<Readonly<Record<string, unknown>>> {
  let answer = await call.send({});
  try {
    for (let round = 0; round < call.maxRounds && isElicitation(answer); round++) {
      answer = await call.send(await answersTo(answer, call));
    }
  } catch (error) {
    throw markStarted(error);
  }
  if (!isElicitation(answer)) return answer;
  throw mcpFailure(
    "too_many_elicitations",
    `the MCP server "${call.server}" still sends elicitations after ${call.maxRounds} rounds`,
  );
}

type RawCallReply = Awaited<ReturnType<ElicitingCall["send"]>>;

function isElicitation(answer: RawCallReply): boolean {
  return answer["resultType"] === "input_required";
}

/** Returns the fields to add to the request when it is sent again. */
async function answersTo({ inputRequests, requestState }: RawCallReply, call: ElicitingCall): Promise<RawCallReply> {
  const elicitations = Object.entries(inputRequests ?? {});
  if (elicitations.length === 0) await call.wait(retryIntervalMs);
  const answers = await Promise.all(elicitations.map(async ([key, one]) => [key, await answerOne(one, call)] as const));
  return {
    ...(answers.length > 0 && { inputResponses: Object.fromEntries(answers) }),
    // Returned unchanged: only the server can interpret it.
    ...(requestState !== undefined && { requestState }),
  };
}

/** After an elicitation the tool has started, so no failure may claim that nothing was done. */
function markStarted(error: unknown): unknown {
  if (!isFailureError(error)) return error;
  const { code, reason, forModel, retry } = error.toFailure();
  if (retry !== "safe") return error;
  if (reason === "not_sent" || reason === "unreachable") {
    return mcpFailure("connection_lost", error.message, { cause: error, forModel });
  }
  return fail(error.message, {
    code,
    forModel,
    retry: "unsafe",
    cause: error,
    ...(reason !== undefined && { reason }),
  });
}

async function answerOne(elicitation: unknown, { call, server, log }: ElicitingCall): Promise<unknown> {
  const { method, params } = (elicitation ?? {}) as { readonly method?: unknown; readonly params?: unknown };
  if (method === "elicitation/create") return answerElicitation({ server, params, call, log });
  if (method === "roots/list") return { roots: [] };
  throw mcpFailure(
    "unsupported_request",
    `the MCP server "${server}" requests ${JSON.stringify(method)?.slice(0, 100)}, which is not offered to servers`,
  );
}

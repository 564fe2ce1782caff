import { isFailureError } from "../../../base/index.ts";
import { answerQuestion } from "./answer-question.ts";
import type { McpCallOptions } from "../../../hub/index.ts";
import { mcpFailure } from "./mcp-reasons.ts";

/** Between two tries of a server that asks for nothing but patience. */
const patienceMs = 250;

/** What {@link callWithQuestions} needs. */
export interface QuestioningCall {
  readonly server: string;
  readonly call: McpCallOptions;
  readonly mostRounds: number;
  /** Sends the request, with what is added to its parameters. */
  send(added: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  wait(ms: number): Promise<void>;
  /** Told of questions that nobody gets to see. */
  readonly tell: (message: string) => void;
}

/** Makes a call that may come back with questions instead of a result, and answers them until there is one. */
export async function callWithQuestions(asked: QuestioningCall): Promise<Readonly<Record<string, unknown>>> {
  let added: Record<string, unknown> = {};
  for (let round = 0; round <= asked.mostRounds; round++) {
    const answer = await asked.send(added).catch((error: unknown) => {
      throw round === 0 ? error : asBroken(error);
    });
    if (answer["resultType"] !== "input_required") return answer;
    const { inputRequests, requestState } = answer;
    const questions = Object.entries(inputRequests ?? {});
    if (questions.length === 0) await asked.wait(patienceMs);
    const answers = await Promise.all(questions.map(async ([key, one]) => [key, await answerOne(one, asked)] as const));
    added = {
      ...(answers.length > 0 && { inputResponses: Object.fromEntries(answers) }),
      // Given back as it came: only the server knows what it means.
      ...(requestState !== undefined && { requestState }),
    };
  }
  throw mcpFailure(
    "too_many_questions",
    `the MCP server "${asked.server}" still asks questions after ${asked.mostRounds} rounds`,
  );
}

/** What is not sent any more does not undo what was sent before it: the tool had begun by then. */
function asBroken(error: unknown): unknown {
  if (!isFailureError(error) || error.reason !== "closed") return error;
  return mcpFailure("connection_lost", error.message, { cause: error });
}

async function answerOne(question: unknown, { call, server, tell }: QuestioningCall): Promise<unknown> {
  const { method, params } = (question ?? {}) as { readonly method?: unknown; readonly params?: unknown };
  if (method === "elicitation/create") return answerQuestion({ server, params, call, tell });
  if (method === "roots/list") return { roots: [] };
  throw mcpFailure(
    "unanswerable",
    `the MCP server "${server}" asks for ${JSON.stringify(method)?.slice(0, 100)}, which is not offered to servers`,
  );
}

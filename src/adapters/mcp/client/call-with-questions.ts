import { fail, isFailureError } from "../../../base/index.ts";
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
  let answer = await asked.send({});
  try {
    for (let round = 0; round < asked.mostRounds && isQuestion(answer); round++) {
      answer = await asked.send(await answersTo(answer, asked));
    }
  } catch (error) {
    throw asBegun(error);
  }
  if (!isQuestion(answer)) return answer;
  throw mcpFailure(
    "too_many_questions",
    `the MCP server "${asked.server}" still asks questions after ${asked.mostRounds} rounds`,
  );
}

type Answer = Awaited<ReturnType<QuestioningCall["send"]>>;

function isQuestion(answer: Answer): boolean {
  return answer["resultType"] === "input_required";
}

/** What is added to the request when it is sent again. */
async function answersTo({ inputRequests, requestState }: Answer, asked: QuestioningCall): Promise<Answer> {
  const questions = Object.entries(inputRequests ?? {});
  if (questions.length === 0) await asked.wait(patienceMs);
  const answers = await Promise.all(questions.map(async ([key, one]) => [key, await answerOne(one, asked)] as const));
  return {
    ...(answers.length > 0 && { inputResponses: Object.fromEntries(answers) }),
    // Given back as it came: only the server knows what it means.
    ...(requestState !== undefined && { requestState }),
  };
}

/** Whatever went wrong after a question, the tool had begun by then: no failure may say that nothing was done. */
function asBegun(error: unknown): unknown {
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

async function answerOne(question: unknown, { call, server, tell }: QuestioningCall): Promise<unknown> {
  const { method, params } = (question ?? {}) as { readonly method?: unknown; readonly params?: unknown };
  if (method === "elicitation/create") return answerQuestion({ server, params, call, tell });
  if (method === "roots/list") return { roots: [] };
  throw mcpFailure(
    "unanswerable",
    `the MCP server "${server}" asks for ${JSON.stringify(method)?.slice(0, 100)}, which is not offered to servers`,
  );
}

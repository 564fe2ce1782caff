import type { ApprovalRequest } from "../store/index.ts";
import { layOutJson, showUnsafe, stripUnsafe } from "../text/index.ts";
import type { Question, QuestionAnswer } from "../tool/index.ts";

/** What whoever is asked has to see, all of it. */
type Asked = Pick<ApprovalRequest, "message" | "tool" | "args">;

/** Nobody reads more than this before a yes. */
const longestShown = 20_000;

/**
 * An approval as a question to whoever made the call: the tool and its exact arguments, and yes or no. Undefined where
 * the arguments are too long to be shown whole: then somebody has to decide elsewhere.
 */
export function approvalQuestion({ message, tool, args }: Asked): Question | undefined {
  const { text: shown, cut } = layOutJson(JSON.stringify(args ?? {}), longestShown);
  if (cut) return undefined;
  return {
    message: `${showUnsafe(message)}\n\n${showUnsafe(tool)}\n${visible(shown)}`,
    schema: {
      type: "object",
      properties: {
        approve: {
          type: "boolean",
          title: "Allow",
          description: "Allow this call, once, with exactly these arguments.",
        },
      },
      required: ["approve"],
    },
  };
}

/** What an answer to {@link approvalQuestion} decides; undefined where it decides nothing. */
export function approvalVerdict(answer: QuestionAnswer): boolean | undefined {
  switch (answer.action) {
    case "accept":
      return answer.content["approve"] === true;
    case "decline":
      return false;
    case "cancel":
      return undefined;
  }
}

/** Line by line, so that the lines themselves stay. */
function visible(text: string): string {
  return stripUnsafe(text) === text ? text : text.split("\n").map(showUnsafe).join("\n");
}

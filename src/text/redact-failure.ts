import type { Failure, Issue } from "../base/index.ts";

/** Words of programs, which they compare: `unknown_city`, `type`. */
const programWord = /^[a-z][a-z\d_.-]{0,63}$/;

/** A failure without the secrets in its texts. What kind it is stays, and so does the failure where there are none. */
export function redactFailure(error: Failure, text: (said: string) => string): Failure {
  const message = text(error.message);
  const forModel = text(error.forModel);
  const reason = error.reason === undefined || programWord.test(error.reason) ? error.reason : text(error.reason);
  const issues = error.issues?.map((issue) => redactIssue(issue, text));
  const isClean =
    message === error.message &&
    forModel === error.forModel &&
    reason === error.reason &&
    (issues === undefined || issues.every((issue, at) => issue === error.issues?.[at]));
  if (isClean) return error;
  return { ...error, message, forModel, ...(reason !== undefined && { reason }), ...(issues && { issues }) };
}

/** An issue without the secrets in its texts; where it is may be a name in somebody's data. */
export function redactIssue(issue: Issue, text: (said: string) => string): Issue {
  const path = issue.path.map((name) => (typeof name === "string" ? text(name) : name));
  const message = text(issue.message);
  const suggestion = issue.suggestion === undefined ? undefined : text(issue.suggestion);
  const isClean =
    message === issue.message && suggestion === issue.suggestion && path.every((name, at) => name === issue.path[at]);
  return isClean ? issue : { ...issue, path, message, ...(suggestion !== undefined && { suggestion }) };
}

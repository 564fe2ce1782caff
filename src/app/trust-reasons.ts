import { type ReasonFailure, createReasonFailures } from "../base/index.ts";

/** Reasons for which a part of a workspace is not used. */
export const trustReasons = {
  not_trusted: {
    code: "permission_denied",
    meaning:
      "The user has not trusted this part of the workspace: code, a command, a server, a secret, a model or a wider rule.",
    retry: "never",
  },
} as const;

/** A failure for one of {@link trustReasons}. */
export const trustFailure: ReasonFailure<keyof typeof trustReasons> = createReasonFailures(trustReasons);

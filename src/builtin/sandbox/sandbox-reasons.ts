import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

/** Reasons for which the sandbox, or `test_runner` in it, fails. The reference in the docs is generated from it. */
export const sandboxReasons = {
  not_linux: { code: "not_available", meaning: "The sandbox works on Linux only.", retry: "never" },
  not_installed: { code: "not_available", meaning: "bubblewrap or util-linux is not installed.", retry: "never" },
  too_old: { code: "not_available", meaning: "bubblewrap is older than 0.8.", retry: "never" },
  no_namespaces: {
    code: "not_available",
    meaning: "The system does not let this user create a sandbox.",
    retry: "never",
  },
  unreadable: { code: "not_available", meaning: "The sandbox may not read the program that it runs.", retry: "never" },
  setup_failed: { code: "not_available", meaning: "The sandbox could not be set up." },
  no_program: { code: "not_available", meaning: "The language is not installed on this machine.", retry: "never" },
  bad_files: { code: "validation_error", meaning: "The files are too many, too large, or have bad paths." },
  unknown_language: { code: "validation_error", meaning: "Tests in this language cannot be run." },
  aborted: { code: "cancelled", meaning: "The caller cancelled the work." },
} as const;

/** The name of one reason in {@link sandboxReasons}. */
export type SandboxReason = keyof typeof sandboxReasons;

/** Creates a sandbox failure with this reason. */
export const sandboxFailure: ReasonFailure<SandboxReason> = createReasonFailures(sandboxReasons);

import { type ReasonFailure, type ReasonTable, createReasonTable, createReasonFailures } from "../../base/index.ts";

const sandboxGroups = {
  "not_available, never": {
    not_linux: "The sandbox works on Linux only.",
    not_installed: "bubblewrap or util-linux is not installed.",
    too_old: "bubblewrap is older than 0.8.",
    no_namespaces: "The system does not let this user create a sandbox.",
    unreadable: "The sandbox may not read the program that it runs.",
    no_program: "The language is not installed on this machine.",
  },
  not_available: { setup_failed: "The sandbox could not be set up." },
  validation_error: {
    bad_files: "The files are too many, too large, or have bad paths.",
    unknown_language: "Tests in this language cannot be run.",
  },
  cancelled: { aborted: "The caller cancelled the work." },
} as const;

/** Reasons for which the sandbox, or `test_runner` in it, fails. The reference in the docs is generated from it. */
export const sandboxReasons: ReasonTable<typeof sandboxGroups> = createReasonTable(sandboxGroups);

/** The name of one reason in {@link sandboxReasons}. */
export type SandboxReason = keyof typeof sandboxReasons;

/** Creates a sandbox failure with this reason. */
export const sandboxFailure: ReasonFailure<SandboxReason> = createReasonFailures(sandboxReasons);

import { type FailureCode, FailureError, type RetryVerdict } from "../../base/index.ts";

interface SandboxReasonInfo {
  readonly code: FailureCode;
  /** What happened, for the generated reference. */
  readonly means: string;
  readonly retry?: RetryVerdict;
}

/** Every reason for which the sandbox, or `test_runner` in it, fails. The reference in the docs is generated from it. */
export const sandboxReasons = {
  not_linux: { code: "not_available", means: "The sandbox works on Linux only.", retry: "never" },
  not_installed: { code: "not_available", means: "bubblewrap or util-linux is not installed.", retry: "never" },
  too_old: { code: "not_available", means: "bubblewrap is older than 0.8.", retry: "never" },
  no_namespaces: { code: "not_available", means: "The system does not let this user make a sandbox.", retry: "never" },
  unreadable: { code: "not_available", means: "The sandbox may not read the program that it runs.", retry: "never" },
  setup_failed: { code: "not_available", means: "The sandbox could not be set up." },
  no_program: { code: "not_available", means: "The language is not installed on this machine.", retry: "never" },
  bad_files: { code: "validation_error", means: "The files are too many, too large, or have bad paths." },
  unknown_language: { code: "validation_error", means: "Tests in this language cannot be run." },
  aborted: { code: "cancelled", means: "The caller cancelled the work." },
} as const;

sandboxReasons satisfies Record<string, SandboxReasonInfo>;

/** The name of one reason in {@link sandboxReasons}. */
export type SandboxReason = keyof typeof sandboxReasons;

/** A failure of the sandbox for this reason. */
export function refuseSandbox(reason: SandboxReason, message: string): FailureError {
  const info: SandboxReasonInfo = sandboxReasons[reason];
  return new FailureError(message, { code: info.code, reason, ...(info.retry !== undefined && { retry: info.retry }) });
}

import {
  type ReasonFailure,
  createReasonFailures,
  type Clock,
  EventLoopYielder,
  isFailureError,
  systemErrorCode,
} from "../base/index.ts";

/** Every reason for which file access rejects or fails. The files reference in the docs is generated from it. */
export const fileReasons = {
  no_folder: { code: "not_available", meaning: "No folder is open at all.", retry: "never" },
  bad_path: {
    code: "validation_error",
    meaning: "The path is not a string, too long, or contains control characters.",
  },
  bad_name: { code: "validation_error", meaning: "A name in the path means something else on another system." },
  absolute: { code: "permission_denied", meaning: "The path is absolute and leads to none of the open folders." },
  traversal: { code: "permission_denied", meaning: "The path goes up with `..`." },
  outside_root: { code: "permission_denied", meaning: "A link leads out of the open folders." },
  path_denied: { code: "permission_denied", meaning: "The path leads into a folder that is closed to tools." },
  control_file: {
    code: "permission_denied",
    meaning: "The program executes or obeys the file, so tools cannot write it.",
  },
  hard_link: {
    code: "permission_denied",
    meaning: "The file has several names (hard links); another one may be outside the open folders.",
  },
  redirected: {
    code: "permission_denied",
    meaning: "The path leads elsewhere than when the call was approved.",
  },
  read_only: { code: "permission_denied", meaning: "The folder is open for reading only." },
  no_access: { code: "permission_denied", meaning: "The system does not let this user do that." },
  not_found: { code: "execution_error", meaning: "There is no such file or folder.", retry: "never" },
  not_a_file: { code: "execution_error", meaning: "It is a folder, a pipe, a device or a socket.", retry: "never" },
  not_a_folder: { code: "execution_error", meaning: "It is not a folder.", retry: "never" },
  broken_link: { code: "execution_error", meaning: "The link leads to nothing.", retry: "never" },
  too_many_links: { code: "execution_error", meaning: "Links lead in a circle.", retry: "never" },
  concurrent_change: {
    code: "execution_error",
    meaning: "It was replaced concurrently.",
    retry: "safe",
  },
  too_large: { code: "execution_error", meaning: "It exceeds the maximum number of bytes.", retry: "never" },
  binary: { code: "execution_error", meaning: "It holds no text.", retry: "never" },
  bad_encoding: { code: "execution_error", meaning: "The bytes are not valid text in that encoding.", retry: "never" },
  exists: { code: "execution_error", meaning: "The file exists and must not be replaced.", retry: "never" },
  changed: { code: "execution_error", meaning: "The file is not the one that was expected.", retry: "never" },
  no_space: { code: "execution_error", meaning: "The disk is full, or the quota used up.", retry: "safe" },
  io: { code: "execution_error", meaning: "The system failed to read or write.", retry: "safe" },
  aborted: { code: "cancelled", meaning: "The caller cancelled the work." },
} as const;

/** The name of one reason in {@link fileReasons}. */
export type FileReason = keyof typeof fileReasons;

/** A failure of file access for this reason. */
export const fileFailure: ReasonFailure<FileReason> = createReasonFailures(fileReasons);

/** Reason and message (after the path) of a system error. */
const systemErrors: Readonly<Record<string, readonly [FileReason, string]>> = {
  ENOENT: ["not_found", "does not exist"],
  ENOTDIR: ["not_found", "does not exist: a part of the path is not a folder"],
  ELOOP: ["too_many_links", "is a link that leads in a circle"],
  ENAMETOOLONG: ["bad_path", "has a name that is too long"],
  EISDIR: ["not_a_file", "is a folder"],
  ENXIO: ["not_a_file", "is a socket or a device"],
  EACCES: ["no_access", "may not be opened by this user"],
  EPERM: ["no_access", "may not be changed by this user"],
  EROFS: ["read_only", "is on a read-only disk"],
  ENOSPC: ["no_space", "could not be written: the disk is full"],
  EDQUOT: ["no_space", "could not be written: the quota is used up"],
  EFBIG: ["no_space", "could not be written: it is larger than this disk or user may hold"],
};

/** Converts a system error to a failure about this path; any other error is a bug, and returned unchanged. */
export function fromSystemError(error: unknown, path: string): unknown {
  const code = systemErrorCode(error);
  if (code === undefined || isFailureError(error) || !/^E[A-Z0-9]+$/.test(code)) return error;
  const [reason, words] = systemErrors[code] ?? ["io", `could not be read or written (${code})`];
  return fileFailure(reason, `${path} ${words}`, { cause: error });
}

/** Throws when the caller has cancelled. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw fileFailure("aborted", "the work on the file was cancelled");
}

export function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

/** Yields to the event loop during long work on a file, and throws once the caller has cancelled it. */
export function createFileYielder(signal?: AbortSignal, clock?: Pick<Clock, "elapsed">): EventLoopYielder {
  return new EventLoopYielder({ onYield: () => checkSignal(signal), ...(clock !== undefined && { clock }) });
}

import {
  type ReasonFailure,
  type ReasonTable,
  createReasonTable,
  createReasonFailures,
  type Clock,
  EventLoopYielder,
  isFailureError,
  systemErrorCode,
} from "../base/index.ts";

const fileGroups = {
  "not_available, never": { no_folder: "No folder is open at all." },
  validation_error: {
    bad_path: "The path is not a string, too long, or contains control characters.",
    bad_name: "A name in the path means something else on another system.",
  },
  permission_denied: {
    absolute: "The path is absolute and leads to none of the open folders.",
    traversal: "The path goes up with `..`.",
    outside_root: "A link leads out of the open folders.",
    path_denied: "The path leads into a folder that is closed to tools.",
    control_file: "The program executes or obeys the file, so tools cannot write it.",
    hard_link: "The file has several names (hard links); another one may be outside the open folders.",
    redirected: "The path leads elsewhere than when the call was approved.",
    read_only: "The folder is open for reading only.",
    no_access: "The system does not let this user do that.",
  },
  "execution_error, never": {
    not_found: "There is no such file or folder.",
    not_a_file: "It is a folder, a pipe, a device or a socket.",
    not_a_folder: "It is not a folder.",
    broken_link: "The link leads to nothing.",
    too_many_links: "Links lead in a circle.",
    too_large: "It exceeds the maximum number of bytes.",
    binary: "It holds no text.",
    bad_encoding: "The bytes are not valid text in that encoding.",
    exists: "The file exists and must not be replaced.",
    changed: "The file is not the one that was expected.",
  },
  "execution_error, safe": {
    concurrent_change: "It was replaced concurrently.",
    no_space: "The disk is full, or the quota used up.",
    io: "The system failed to read or write.",
  },
  cancelled: { aborted: "The caller cancelled the work." },
} as const;

/** Every reason for which file access rejects or fails. The files reference in the docs is generated from it. */
export const fileReasons: ReasonTable<typeof fileGroups> = createReasonTable(fileGroups);

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

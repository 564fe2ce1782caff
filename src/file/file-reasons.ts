import { FailureError, type ReasonFailure, failuresFor } from "../base/index.ts";

/** Every reason for which the file door refuses or fails. The files reference in the docs is generated from it. */
export const fileReasons = {
  no_folder: { code: "not_available", means: "No folder is open at all.", retry: "never" },
  bad_path: { code: "validation_error", means: "The path is no text, too long, or holds control characters." },
  bad_name: { code: "validation_error", means: "A name in the path means something else on another system." },
  absolute: { code: "permission_denied", means: "The path is absolute and leads to none of the open folders." },
  traversal: { code: "permission_denied", means: "The path goes up with `..`." },
  outside_root: { code: "permission_denied", means: "A link leads out of the open folders." },
  closed: { code: "permission_denied", means: "The path leads into a folder that is closed to tools." },
  read_only: { code: "permission_denied", means: "The folder is open for reading only." },
  no_access: { code: "permission_denied", means: "The system does not let this user do that." },
  not_found: { code: "execution_error", means: "There is no such file or folder.", retry: "never" },
  not_a_file: { code: "execution_error", means: "It is a folder, a pipe, a device or a socket.", retry: "never" },
  not_a_folder: { code: "execution_error", means: "It is no folder.", retry: "never" },
  broken_link: { code: "execution_error", means: "The link leads to nothing.", retry: "never" },
  too_many_links: { code: "execution_error", means: "Links lead in a circle.", retry: "never" },
  raced: { code: "execution_error", means: "Something else took its place at that very moment.", retry: "safe" },
  too_large: { code: "execution_error", means: "It has more bytes than the door lets through.", retry: "never" },
  binary: { code: "execution_error", means: "It holds no text.", retry: "never" },
  bad_encoding: { code: "execution_error", means: "The bytes are no text in that encoding.", retry: "never" },
  exists: { code: "execution_error", means: "The file exists and must not be replaced.", retry: "never" },
  changed: { code: "execution_error", means: "The file is not the one that was expected.", retry: "never" },
  no_space: { code: "execution_error", means: "The disk is full, or the quota used up.", retry: "safe" },
  io: { code: "execution_error", means: "The system failed to read or write.", retry: "safe" },
  aborted: { code: "cancelled", means: "The caller cancelled the work." },
} as const;

/** The name of one reason in {@link fileReasons}. */
export type FileReason = keyof typeof fileReasons;

/** A failure of the file door for this reason. */
export const refuseFile: ReasonFailure<FileReason> = failuresFor(fileReasons);

/** What an error of the system means here, and how it is told after the path. */
const systemErrors: Readonly<Record<string, readonly [FileReason, string]>> = {
  ENOENT: ["not_found", "does not exist"],
  ENOTDIR: ["not_found", "does not exist: a part of the path is no folder"],
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

/** The system's own code of an error, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** An error of the system as a failure about this path; what is no such error is a bug, and thrown as it is. */
export function fromSystem(error: unknown, path: string): unknown {
  const code = systemCode(error);
  if (code === undefined || error instanceof FailureError || !/^E[A-Z0-9]+$/.test(code)) return error;
  const [reason, words] = systemErrors[code] ?? ["io", `could not be read or written (${code})`];
  return refuseFile(reason, `${path} ${words}`, { cause: error });
}

/** Throws when the caller has cancelled. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw refuseFile("aborted", "the work on the file was cancelled");
}

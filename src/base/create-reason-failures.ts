import { type FailureCode, FailureError, type FailureOptions, type RetryVerdict } from "./failure.ts";

/** Meaning of a reason, in the table of an area. */
export interface ReasonInfo {
  readonly code: FailureCode;
  /** Description of the failure, for the generated reference. */
  readonly meaning: string;
  /** The verdict, if it differs from the code's own. */
  readonly retry?: RetryVerdict;
}

/** The meanings of an area's reasons, grouped by their code, and by the verdict if it differs from the code's own. */
export type ReasonGroups = {
  readonly [group in FailureCode | `${FailureCode}, ${RetryVerdict}`]?: Readonly<Record<string, string>>;
};

/** The table of the reasons in these groups. */
export type ReasonTable<Groups extends ReasonGroups> = Readonly<
  Record<{ [Group in keyof Groups]: keyof Groups[Group] & string }[keyof Groups], ReasonInfo>
>;

/**
 * Creates the table of an area's reasons from their groups.
 *
 * @example
 * ```ts
 * const groups = { "execution_error, never": { no_page: "There is no such page." } } as const;
 * const reasons = createReasonTable(groups);
 * console.log(reasons.no_page.code); // execution_error
 * ```
 */
export function createReasonTable<Groups extends ReasonGroups>(groups: Groups): ReasonTable<Groups> {
  const entries = Object.entries(groups).flatMap(([group, meanings]) => {
    const [code, retry] = group.split(", ");
    return Object.entries(meanings).map(([reason, meaning]) => [reason, { code, meaning, ...(retry && { retry }) }]);
  });
  // Object.fromEntries forgets the names of the keys.
  return Object.fromEntries(entries) as ReasonTable<Groups>;
}

/** Options of a failure besides its reason; `parameter` is the one to correct. */
export type ReasonOptions = Omit<FailureOptions, "code" | "reason"> & { readonly parameter?: string };

/** Creates a failure for a reason of one table. */
export type ReasonFailure<Reason extends string> = (
  reason: Reason,
  message: string,
  options?: ReasonOptions,
) => FailureError;

/**
 * Creates the failure function of an area from the table of its reasons.
 *
 * @example
 * ```ts
 * const reasons = { no_page: { code: "execution_error", meaning: "There is no such page." } } as const;
 * throw createReasonFailures(reasons)("no_page", "there is no page 3; the last is 2");
 * ```
 */
export function createReasonFailures<Reason extends string>(
  reasons: Readonly<Record<Reason, ReasonInfo>>,
): ReasonFailure<Reason> {
  return (reason, message, { parameter, ...options } = {}) => {
    const { code, retry } = reasons[reason];
    return new FailureError(message, {
      code,
      reason,
      ...(retry !== undefined && { retry }),
      ...(parameter !== undefined && { issues: [{ path: [parameter], code: reason, message }] }),
      ...options,
    });
  };
}

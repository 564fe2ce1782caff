import { fail } from "../base/index.ts";
import type { Approval, Decision } from "../store/index.ts";

/** An approval that stands as the decision wants it; throws where the decision came too late, and says why. */
export function checkDecided(id: string, { approved }: Decision, stands: Approval | undefined): Approval {
  if (stands === undefined) throw refused(`there is no approval ${JSON.stringify(id)}`);
  const why = whyNot(stands, approved);
  if (why !== undefined) throw refused(`approval ${id}, of ${stands.tool}, ${why}`);
  return stands;
}

function refused(message: string): Error {
  return fail(message, { code: "validation_error" });
}

/** Why a decision does not count; undefined where it does, or was made so before. */
function whyNot(stands: Approval, approved: boolean): string | undefined {
  const { status, decidedBy, expiresAt, note } = stands;
  const how = `${decidedBy === undefined ? "" : ` by ${decidedBy}`}${note === undefined ? "" : ` (${note})`}`;
  switch (status) {
    case "pending":
      return undefined;
    case "approved":
      return approved ? undefined : `was approved${how}; the first decision counts`;
    case "rejected":
      return approved ? `was rejected${how}; the first decision counts` : undefined;
    case "used":
      return approved ? undefined : `was approved${how}, and the call was made; the first decision counts`;
    case "expired":
      return `expired at ${new Date(expiresAt).toISOString()}; the call has to be made again`;
    default:
      return status satisfies never;
  }
}

import type { ClosedSchema } from "./closed-schema.ts";

/** Policies for the times of a schedule that passed while no server ran. */
export const missedPolicies = ["none", "last", "all"] as const;

/** Policies for a firing while a run of the same trigger has not ended. */
export const overlapPolicies = ["skip", "queue", "parallel", "cancel-running"] as const;

/** Schemes by which senders of webhooks sign. */
export const webhookSchemes = ["github", "stripe", "slack", "standard"] as const;

/** When a webhook is answered. */
export const webhookReplies = ["accepted", "output"] as const;

/** A trigger, as a file writes it. It has one of `schedule`, `webhook` and `file`. */
export interface TriggerSpec {
  readonly id?: string | undefined;
  /** A cron expression with five or six fields. */
  readonly schedule?: string | undefined;
  readonly timezone?: string | undefined;
  readonly missed?: (typeof missedPolicies)[number] | undefined;
  /** A name, or a path such as `/new-order`, below `/hooks`. */
  readonly webhook?: string | undefined;
  readonly verify?: (typeof webhookSchemes)[number] | undefined;
  /** A secret, or two while the sender changes from one to the other. */
  readonly secret?: string | readonly string[] | undefined;
  readonly reply?: (typeof webhookReplies)[number] | undefined;
  /** A pattern of paths in the workspace. */
  readonly file?: string | undefined;
  readonly overlap?: (typeof overlapPolicies)[number] | undefined;
  readonly input?: Readonly<Record<string, unknown>> | undefined;
}

const text = { type: "string", minLength: 1 };

const triggerProperties = {
  id: { ...text, description: "Name of the trigger. Default: derived from the chain and the kind of the trigger." },
  schedule: {
    ...text,
    description: 'Cron expression with five fields, or six with seconds first, such as "0 8 * * 1-5".',
  },
  timezone: { ...text, description: "Time zone of the schedule. Default: that of the workspace." },
  missed: {
    enum: missedPolicies,
    description: "Times that passed while no server ran: none, the last, or all (at most 100). Default: last.",
  },
  webhook: { ...text, description: "Path of a webhook, such as /new-order for POST /hooks/new-order." },
  verify: { enum: webhookSchemes, description: "How the sender signs." },
  secret: {
    title: 'a secret such as "${secret.HOOK}", or a list of two',
    anyOf: [text, { type: "array", items: text }],
    description: "The secret of the signatures; a list of two while it changes.",
  },
  reply: {
    enum: webhookReplies,
    description: "accepted: the answer comes at once; output: with the output, after up to 30 s. Default: accepted.",
  },
  file: { ...text, description: "Pattern of paths in the workspace, such as inbox/**/*.md: new and changed files." },
  overlap: {
    enum: overlapPolicies,
    description:
      "While an earlier run has not ended: skip, queue (at most 100), parallel, or cancel-running. " +
      "Default: skip for a schedule, queue if it runs all missed times, parallel otherwise.",
  },
  input: { type: "object", description: "Input of the run; ${event.…} is what happened, and is untrusted." },
} as const;

/** One trigger of the list `on` of a chain. */
export const triggerSchema: ClosedSchema = {
  type: "object",
  properties: triggerProperties,
  additionalProperties: false,
};

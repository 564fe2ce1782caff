// oxlint-disable typescript/no-unnecessary-type-assertion -- isolatedDeclarations needs the types of other tables stated
import { missedPolicies, overlapPolicies, webhookReplies, webhookSchemes } from "./trigger-spec.ts";

/** Settings of a trigger under `triggers:` in `windlass.yaml`. */
const triggerTable = {
  chain: { type: "text", required: true, about: "The chain that it runs." },
  schedule: { type: "text", about: "Cron expression with five or six fields." },
  timezone: { type: "text", defaultText: "that of the workspace", about: "Time zone of the schedule." },
  missed: {
    type: "text",
    choices: missedPolicies as typeof missedPolicies,
    defaultText: "last",
    about: "Times that passed while no server ran.",
  },
  webhook: { type: "text", about: "Path of a webhook below /hooks." },
  verify: {
    type: "text",
    choices: webhookSchemes as typeof webhookSchemes,
    about: "How the sender of a webhook signs.",
  },
  secret: {
    type: "forms",
    title: 'a secret such as "${secret.HOOK}", or a list of two',
    forms: [{ type: "text" }, { type: "list" }],
    about: "The secret of the signatures; a list of two while it changes.",
  },
  reply: {
    type: "text",
    choices: webhookReplies as typeof webhookReplies,
    defaultText: "accepted",
    about: "When a webhook is answered: at once, or with the output after up to 30 s.",
  },
  file: { type: "text", about: "Pattern of paths in the workspace." },
  overlap: {
    type: "text",
    choices: overlapPolicies as typeof overlapPolicies,
    defaultText: "skip for a schedule, parallel otherwise",
    about: "What happens while an earlier run has not ended.",
  },
  input: { type: "map", about: "Input of the run; ${event.…} is what happened, and is untrusted." },
} as const;

/** The setting `triggers` of `windlass.yaml`. */
export const triggersSetting = {
  type: "map",
  of: {
    type: "section",
    about: "A trigger: one of `schedule`, `webhook` and `file`, with the same keys as under `on` of a chain.",
    settings: triggerTable as typeof triggerTable,
  },
  default: {},
  about: "Triggers by id, for chains of others. Most triggers are under `on` of their chain.",
} as const;

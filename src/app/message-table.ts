/** Settings of the messages that leave a workspace. */
export const messageTable = {
  callbacks: {
    type: "map",
    of: {
      type: "section",
      about: "A receiver of the ends of runs.",
      settings: {
        url: {
          type: "text",
          format: "url",
          required: true,
          about:
            "URL that a server posts the end of each run of a chain to. A private address also needs network.allow.",
        },
        secret: {
          type: "text",
          format: "secret",
          required: true,
          about: "Name of the secret that signs the messages, in the way of Standard Webhooks.",
        },
        chains: { type: "list", defaultText: "all", about: "Names of the chains; * stands for any part." },
        status: {
          type: "list",
          choices: ["success", "failed", "cancelled"],
          defaultText: "all",
          about: "Only runs that end in one of these ways.",
        },
      },
    },
    default: {},
    about: "Receivers of the ends of runs, by name. Messages are signed, and retried for about three days.",
  },
} as const;

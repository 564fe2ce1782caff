/** The parameter `timezone` of every time tool. */
export const timezoneParameter = {
  type: "string",
  maxLength: 64,
  description:
    "An IANA name such as Europe/Berlin or Asia/Shanghai, or an offset such as +08:00 or UTC+8. Default: the zone of the workspace.",
} as const;

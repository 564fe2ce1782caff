/** Asks the terminal to mark what is pasted, so that its line ends are no Enter. */
export const markPastes = "\x1b[?2004h";

/** Ends {@link markPastes}. */
export const stopMarking = "\x1b[?2004l";

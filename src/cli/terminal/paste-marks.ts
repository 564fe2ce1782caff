/** Makes the terminal mark pasted text, so that its line ends do not count as Enter. */
export const markPastes = "\x1b[?2004h";

/** Ends {@link markPastes}. */
export const stopMarking = "\x1b[?2004l";

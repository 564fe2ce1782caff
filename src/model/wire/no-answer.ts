/** Something answered well, and gave no answer of a model; asking again may help. */
export class NoAnswer extends Error {}

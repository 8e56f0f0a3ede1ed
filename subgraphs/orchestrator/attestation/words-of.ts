const MAX_CHARACTERS = 500;

/** What a try failed of, for whoever looks at it: the message, of a length that fits a row. */
export const wordsOf = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).slice(0, MAX_CHARACTERS);

/** Texts without repetition, in the order of their UTF-8 bytes. */
export const sortedUnique = (texts: Iterable<string>): string[] =>
  [...new Set(texts)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

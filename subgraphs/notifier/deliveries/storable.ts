/** Longest id of a receiver. What is longer names no message, and no index holds it. */
const LONGEST_ID = 500;

/** Text of a receiver as PostgreSQL can hold it: control characters are spaces, and half surrogate pairs are replaced. */
export const storableText = (text: string | null): string | null =>
  text === null ? null : text.toWellFormed().replace(/\p{Cc}+/gu, ' ');

/** Id that a receiver gave a message; null for a text that is none. */
export const storableId = (id: string | null): string | null =>
  id === null || id === '' || id.length > LONGEST_ID || /\p{Cc}/u.test(id) || !id.isWellFormed() ? null : id;

const MAX_WORDS = 512;

/**
 * Message of a remote system, to follow ours: on one line, not too long, and without what we told it in
 * confidence should it repeat that. Nothing where it said nothing.
 */
export const remoteMessage = (said: readonly string[], confidential: readonly string[]): string => {
  const struck = confidential.reduce((words, secret) => words.replaceAll(secret, '***'), said.join('; '));
  const line = struck
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS);
  return line === '' ? '' : `: ${line}`;
};

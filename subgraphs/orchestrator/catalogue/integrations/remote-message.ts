const MAX_WORDS = 512;

/**
 * Formats the error message of a remote system, to append to ours: one line, bounded length, and with our credentials
 * removed in case it repeats them. Empty when there was no message.
 */
export const remoteMessage = (said: readonly string[], confidential: readonly string[]): string => {
  const struck = confidential.reduce((words, secret) => words.replaceAll(secret, '***'), said.join('; '));
  const line = struck
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS);
  return line === '' ? '' : `: ${line}`;
};

const MAX_WORDS = 512;

/** Formats a remote error message as one bounded line without our credentials, to append to a message of ours. */
export const remoteMessage = (messages: readonly string[], confidential: readonly string[]): string => {
  const struck = confidential.reduce((words, secret) => words.replaceAll(secret, '***'), messages.join('; '));
  const line = struck
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS);
  return line === '' ? '' : `: ${line}`;
};

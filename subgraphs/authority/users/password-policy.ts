/** Length rule of NIST SP 800-63B 3.1.1.2; any character is allowed. */
const LENGTH = { least: 12, most: 200 } as const;

/** Whether a password repeats a unit or has hardly any distinct characters. */
const isRepetitive = (password: string): boolean => {
  const plain = password.trim().toLowerCase();
  return new Set(plain).size < 5 || /^(.+?)\1+$/su.test(plain);
};

/** Reason to refuse a password, for its user; undefined when it is acceptable. */
export const passwordProblem = (password: string, username: string): string | undefined => {
  const { length } = [...password];
  if (length < LENGTH.least) return `Choose a password of at least ${LENGTH.least} characters. Several words are fine.`;
  // Schemas of requests count UTF-16 units; a password that they refuse must not be accepted here.
  if (password.length > LENGTH.most) return `Choose a password of at most ${LENGTH.most} characters.`;
  if (password.trim().toLowerCase() === username.toLowerCase()) return 'Choose a password that is not your user name.';
  if (isRepetitive(password)) return 'Choose a password that is not the same few characters again and again.';
  return undefined;
};

import type { TaskSecrets } from '../protocol/messages.ts';

export type Redacted = Readonly<{ text: string; redacted: number }>;

/** Shortest line of a multi-line secret that is redacted, in characters; shorter lines would redact harmless text. */
const shortestLine = 8;

/** Pieces of a secret to redact: its whole value and, since output is read in parts, each line. */
const piecesOf = (value: string): readonly string[] =>
  value.includes('\n') ? [value, ...value.split('\n').filter((line) => line.length >= shortestLine)] : [value];

/** Secret values of a task by the name that replaces them. */
const valuesOf = ({ env, registries }: TaskSecrets): ReadonlyMap<string, string> =>
  new Map(
    [
      ...Object.entries(registries).map(([host, { password }]) => [password, `registry ${host}`] as const),
      ...Object.entries(env).map(([name, value]) => [value, name] as const),
    ].flatMap(([value, name]) => piecesOf(value).flatMap((piece) => (piece === '' ? [] : [[piece, name] as const]))),
  );

/** Replaces secret values in a text by their names and counts the replacements (rulings 51). */
export const redact = (secrets: TaskSecrets, text: string): Redacted => {
  const names = valuesOf(secrets);
  if (names.size === 0) return { text, redacted: 0 };
  // The longest first: a value may be the beginning of another.
  const longestFirst = [...names.keys()].toSorted((a, b) => b.length - a.length);
  let redacted = 0;
  const clean = text.replaceAll(new RegExp(longestFirst.map(RegExp.escape).join('|'), 'g'), (value) => {
    redacted += 1;
    return `[secret ${names.get(value)}]`;
  });
  return { text: clean, redacted };
};

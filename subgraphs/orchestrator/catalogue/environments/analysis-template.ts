/**
 * Query templates of canary analyses: PromQL with `{{name}}` placeholders for values of the deployment. Values come
 * from people and registries, so a placeholder is allowed only inside a string literal, where its value is escaped.
 */

const placeholders = ['deployment', 'environment', 'release', 'digests'] as const;

type Placeholder = (typeof placeholders)[number];
export type Filling = Readonly<Record<Placeholder, string>>;

/** Matches one token: a string with Go's escapes, a raw string, a comment, or any other characters. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|#[^\n]*|["'`]|[^"'`#]+/g;
const NAMED = /\{\{(.*?)\}\}/gs;

const isPlaceholder = (name: string): name is Placeholder => placeholders.some((known) => known === name);

const isString = (token: string): boolean => token.length > 1 && /^["'`]/.test(token);

/** Returns the reason why the placeholders of a query template are invalid, or undefined. */
export const templateProblem = (query: string): string | undefined => {
  for (const [token] of query.matchAll(TOKEN)) {
    if (/^["'`]$/.test(token)) return `has a string that does not end (${token})`;
    if (token.startsWith('#')) continue;
    if (!isString(token)) {
      if (token.includes('{{')) return 'must have its placeholders inside of quotes';
      continue;
    }
    for (const [, name = ''] of token.matchAll(NAMED))
      if (!isPlaceholder(name)) return `knows no placeholder {{${name}}}, only ${placeholders.join(', ')}`;
  }
  return undefined;
};

/** Escapes every character that is not known to be harmless, in a form that is valid in single and double quotes. */
const escaped = (value: string): string =>
  value.replace(/[^A-Za-z0-9 _.:+|-]/gu, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
  });

/**
 * Replaces the placeholders of a query template. Raw strings have no escapes, so escaped characters stay literal there.
 */
export const fill = (query: string, filling: Filling): string =>
  query.replace(TOKEN, (token) =>
    isString(token)
      ? token.replace(NAMED, (match, name: string) => (isPlaceholder(name) ? escaped(filling[name]) : match))
      : token,
  );

/**
 * The queries of analyses: PromQL in which `{{name}}` stands for something of the deployment. What is filled in comes from
 * people and registries, so it may stand in a string alone, and is escaped there.
 */

const placeholders = ['deployment', 'environment', 'release', 'digests'] as const;

type Placeholder = (typeof placeholders)[number];
export type Filling = Readonly<Record<Placeholder, string>>;

/** A string with Go's escapes, a raw string, a comment to the end of its line, or what is none of these. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|#[^\n]*|["'`]|[^"'`#]+/g;
const NAMED = /\{\{(.*?)\}\}/gs;

const isPlaceholder = (name: string): name is Placeholder => placeholders.some((known) => known === name);

const isString = (token: string): boolean => token.length > 1 && /^["'`]/.test(token);

/** Why a query cannot be filled in; nothing where it can. Whether it is PromQL is for the metrics server to say. */
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

/** Escapes every character that is not plainly harmless, in a form that strings of either quote read alike. */
const escaped = (value: string): string =>
  value.replace(/[^A-Za-z0-9 _.:+|-]/gu, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
  });

/** The query with its placeholders filled. In a raw string, which has no escapes, an escape stands for itself. */
export const fill = (query: string, filling: Filling): string =>
  query.replace(TOKEN, (token) =>
    isString(token)
      ? token.replace(NAMED, (whole, name: string) => (isPlaceholder(name) ? escaped(filling[name]) : whole))
      : token,
  );

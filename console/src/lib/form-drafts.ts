import { createContext } from 'react';
import { labelOr } from './i18n.ts';
import type { FieldProblem } from './problem.ts';
import { session } from './session.ts';

/** Fields of the surrounding form that the server refused. */
export const FieldProblems = createContext<readonly FieldProblem[]>([]);

/** The name under which the form around is kept when the session ends; undefined where nothing is kept. */
export const DraftName = createContext<string | undefined>(undefined);

/**
 * A refused field in people's words: of the field where there are some, of the code otherwise, the server's own last.
 * Of a format the server knows more than the code says, unless it has only a pattern to show.
 */
export function fieldMessage({ field, code, message }: FieldProblem): string {
  const one = field.replace(/^components\.\d+/, 'component').replace(/\.\d+$/, '');
  const own = message.charAt(0).toUpperCase() + message.slice(1).replace(/[^.!?]$/, '$&.');
  const isTold = code === 'VAL_INVALID_FORMAT' && !SCHEMA_WORDS.test(message);
  return labelOr(`wrong.${one}.${code}`, isTold ? own : labelOr(`wrong.${code}`, own));
}

/** Messages of a schema, which are right and which people cannot read. */
const SCHEMA_WORDS = /^(must match (pattern|format)|$)/;

const PREFIX = 'landfall.draft.';
const forms = new Map<string, () => FormData>();

// Another person at this browser is not shown what the one before wrote.
const keyOf = (name: string): string => `${PREFIX}${session().subject}.${name}`;

/** Offers a form for keeping while it is open; answers what takes it back. */
export function registerDraft(name: string, read: () => FormData): () => void {
  forms.set(name, read);
  return () => forms.delete(name);
}

/** Keeps every open form that has words in it. The page is about to be left for the sign-in page. */
export function saveDrafts(): void {
  for (const [name, read] of forms) {
    const entries = [...read()].filter(([, value]) => typeof value === 'string');
    if (entries.some(([, value]) => value !== '')) sessionStorage.setItem(keyOf(name), JSON.stringify(entries));
  }
}

/** The fields of a form that was kept, by name; undefined when none was. */
export function findDraft(name: string): ReadonlyMap<string, string> | undefined {
  const kept = sessionStorage.getItem(keyOf(name));
  return kept === null ? undefined : new Map<string, string>(JSON.parse(kept));
}

/** Forgets a kept form: it is on the page again. */
export const dropDraft = (name: string): void => sessionStorage.removeItem(keyOf(name));

import { createContext } from 'react';
import { labelOr } from './i18n.ts';
import type { FieldProblem } from './problem.ts';
import { session } from './session.ts';

/** Fields of the surrounding form that the server refused. */
export const FieldProblems = createContext<readonly FieldProblem[]>([]);

/** Name of the enclosing form's draft; undefined where none is saved. */
export const DraftName = createContext<string | undefined>(undefined);

/** Message of a refused field: its own, else the server's if that is exact, else that of the code. */
export function fieldMessage({ field, code, message }: FieldProblem): string {
  const one = field.replace(/^components\.\d+/, 'component').replace(/\.\d+$/, '');
  const own = message.charAt(0).toUpperCase() + message.slice(1).replace(/[^.!?]$/, '$&.');
  const isExact = code === 'VAL_INVALID_FORMAT' && !SCHEMA_WORDS.test(message);
  return labelOr(`invalid.${one}.${code}`, isExact ? own : labelOr(`invalid.${code}`, own));
}

/** Messages of a schema, which are right and which people cannot read. */
const SCHEMA_WORDS = /^(must match (pattern|format)|$)/;

const PREFIX = 'landfall.draft.';
const forms = new Map<string, () => FormData>();

// Another person at this browser must not see the draft of the one before.
const keyOf = (name: string): string => `${PREFIX}${session().subject}.${name}`;

/** Registers an open form whose input is saved; returns the function that unregisters it. */
export function registerDraft(name: string, read: () => FormData): () => void {
  forms.set(name, read);
  return () => forms.delete(name);
}

/** Saves every open form with input. The page is about to be left for the sign-in page. */
export function saveDrafts(): void {
  for (const [name, read] of forms) {
    const entries = [...read()].filter(([, value]) => typeof value === 'string');
    if (entries.some(([, value]) => value !== '')) sessionStorage.setItem(keyOf(name), JSON.stringify(entries));
  }
}

/** Fields of a saved draft by name; undefined when there is none. */
export function findDraft(name: string): ReadonlyMap<string, string> | undefined {
  const stored = sessionStorage.getItem(keyOf(name));
  return stored === null ? undefined : new Map<string, string>(JSON.parse(stored));
}

/** Deletes a draft that is on the page again. */
export const dropDraft = (name: string): void => sessionStorage.removeItem(keyOf(name));

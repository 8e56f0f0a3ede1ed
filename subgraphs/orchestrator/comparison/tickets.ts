import type { RepositoryCommits } from './commits.ts';
import { type Budget, type LinearPattern, linearPattern, type Match, PatternError } from './linear-pattern.ts';

/** Rule that finds tickets in commit messages. */
export interface TicketRule {
  readonly pattern: string;
  /** Address with `{key}`. */
  readonly linkTemplate: string;
}

/** Ticket with the commits that name it. */
interface Ticket {
  readonly key: string;
  readonly url: string;
  readonly commits: readonly string[];
}

/** Tickets, and whether every commit was known and searched. */
export interface Found {
  readonly tickets: readonly Ticket[];
  readonly isComplete: boolean;
}

/** Steps of all searches of one request, each of 25 ns at most: a quarter of a second of one core. */
const MAX_STEPS = 10_000_000;
const MAX_TICKETS = 500;
/** Limit of a key's length, in code points. */
const MAX_KEY = 100;

const compile = (pattern: string): LinearPattern | PatternError => {
  try {
    return linearPattern(pattern);
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
};

/** Reason why a pattern cannot be searched for; undefined if it can. */
export const patternProblem = (pattern: string): string | undefined => {
  const compiled = compile(pattern);
  return compiled instanceof PatternError ? compiled.message : undefined;
};

const PLACEHOLDER = '{key}';

/**
 * Address of a ticket. The key is encoded, so that it stays within its place in the template. No encoding keeps a key of
 * one or two dots there, as URL parsers read %2E as a dot: {@link keyOf} leaves such keys out.
 */
export const ticketUrl = (template: string, key: string): string =>
  template.replaceAll(PLACEHOLDER, () => encodeURIComponent(key.toWellFormed()));

/** Key of a match, cut at a code point; undefined for one that is empty or a step in a path. */
const keyOf = ({ text, group }: Match): string | undefined => {
  // A code point has two code units at most.
  const units = (group ?? text).slice(0, 2 * MAX_KEY).toWellFormed();
  const key = Array.from(units).slice(0, MAX_KEY).join('');
  return ['', '.', '..'].includes(key) ? undefined : key;
};

/** Characters that URL parsers drop or rewrite, so that the saved text is another address than the validated one. */
const REWRITTEN = /[\\\s\p{Cc}\p{Cs}]/u;

/** Reason why a template cannot be a link; undefined if it can. */
export const templateProblem = (template: string): string | undefined => {
  if (!template.includes(PLACEHOLDER)) return `must have ${PLACEHOLDER}`;
  if (REWRITTEN.test(template)) return 'must have no backslash, white space or control character';
  const [one, other] = ['A-1', 'B-2'].map((key) => URL.parse(ticketUrl(template, key)));
  // A page resolves `https:path` against its own address.
  if (!one || !other || !/^https:\/\/[^/]/i.test(template)) return 'must be an https address';
  if (one.username || one.password) return 'must not carry credentials';
  // The text of a commit message must never choose the host.
  return one.origin === other.origin ? undefined : `must have ${PLACEHOLDER} after the host`;
};

/** Finds tickets in the messages of commits, by key in the order of their first commit. */
export const findTickets = (
  repositories: readonly Pick<RepositoryCommits, 'commits' | 'state' | 'total'>[],
  rules: readonly TicketRule[],
): Found => {
  const budget: Budget = { steps: MAX_STEPS };
  const compiled = rules.flatMap(({ pattern: source, linkTemplate }) => {
    const pattern = compile(source);
    // A saved rule may no longer be valid.
    return pattern instanceof PatternError ? [] : { pattern, linkTemplate };
  });
  const byUrl = new Map<string, { readonly key: string; readonly url: string; readonly commits: Set<string> }>();
  const isKnown = repositories.every(({ state, commits, total }) => state !== 'unknown' && total === commits.length);
  let isComplete = isKnown && compiled.length === rules.length;
  for (const { id, message } of repositories.flatMap(({ commits }) => commits))
    for (const { pattern, linkTemplate } of compiled) {
      const matches = pattern.findAll(message, budget);
      isComplete &&= matches !== undefined;
      for (const match of matches ?? []) {
        const key = keyOf(match);
        if (key === undefined) continue;
        const url = ticketUrl(linkTemplate, key);
        const ticket = byUrl.get(url) ?? { key, url, commits: new Set() };
        if (byUrl.size >= MAX_TICKETS && !byUrl.has(url)) {
          isComplete = false;
          continue;
        }
        ticket.commits.add(id);
        byUrl.set(url, ticket);
      }
    }
  return { tickets: [...byUrl.values()].map((ticket) => ({ ...ticket, commits: [...ticket.commits] })), isComplete };
};

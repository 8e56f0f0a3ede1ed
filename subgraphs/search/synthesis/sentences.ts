import type { StoredChunk } from '../corpus/chunk.ts';
import type { Sentence } from '../query/card.ts';
import {
  attributeTexts,
  labelledText,
  listed,
  nameText,
  pickExcerpt,
  reasonLinesOf,
  sentence,
  titleOf,
} from './excerpts.ts';
import { folded } from './lexicon.ts';

const nameOf = (chunk: StoredChunk): string =>
  nameText(chunk.identifiers.find((id) => /^CVE-/iu.test(id)) ?? chunk.identifiers[0] ?? titleOf(chunk));

/** Packages considered for the few shown. */
const MAX_NAMES = 50;

/** `log4j-core (Maven)`. */
const packagesOf = ({ packages, ecosystem }: StoredChunk): string =>
  `${listed(packages.slice(0, MAX_NAMES).map(nameText))}${ecosystem ? ` (${nameText(ecosystem)})` : ''}`;

const has = (text: string, part: string): boolean => folded(text).includes(folded(part));

const definitionSentences = (chunk: StoredChunk, queryTerms: ReadonlySet<string>): Sentence[] => {
  const [name, title, excerpt] = [nameOf(chunk), titleOf(chunk), pickExcerpt(chunk, queryTerms)];
  const head = has(title, name) ? title : `${name}: ${title}`;
  return [
    sentence(head, chunk),
    ...(excerpt !== '' && !has(head, excerpt) && !has(excerpt, head) ? [sentence(excerpt, chunk)] : []),
  ];
};

const severity = (chunk: StoredChunk): Sentence[] => {
  const name = nameOf(chunk);
  const about = chunk.packages.length > 0 ? `affects ${packagesOf(chunk)}` : '';
  const grade = chunk.severity ? `has severity ${chunk.severity}` : '';
  const parts = [grade, about].filter(Boolean);
  return parts.length > 0 ? [sentence(`${name} ${parts.join(' and ')}`, chunk)] : [];
};

const fixes = (chunk: StoredChunk): Sentence[] => {
  const versions = attributeTexts(chunk, 'fixed');
  return versions.length > 0 ? [sentence(`${nameOf(chunk)} is fixed in ${listed(versions, 6)}`, chunk)] : [];
};

/** Sentences from CISA's catalogue of exploited vulnerabilities: date, required action and due date. */
const exploitation = (chunk: StoredChunk): Sentence[] => {
  const [[added], [action], [due]] = [
    attributeTexts(chunk, 'dateAdded'),
    attributeTexts(chunk, 'requiredAction', 'action'),
    attributeTexts(chunk, 'dueDate'),
  ];
  return [
    ...(added ? [sentence(`${nameOf(chunk)} is listed as exploited since ${added}`, chunk)] : []),
    ...(action ? [sentence(`Required action: ${action.replace(/\.$/u, '')}${due ? `, due ${due}` : ''}`, chunk)] : []),
  ];
};

export const vulnerabilitySentences = (chunk: StoredChunk, queryTerms: ReadonlySet<string>): Sentence[] => [
  ...definitionSentences(chunk, queryTerms),
  ...severity(chunk),
  ...fixes(chunk),
  ...exploitation(chunk),
];

/** `not_affected` reads as words. */
const announcement = (word: string): string => word.replaceAll('_', ' ');

/** Sentences of a VEX statement: status, product and justification, quoted. */
export const statementSentences = (chunk: StoredChunk): Sentence[] => {
  const [status] = attributeTexts(chunk, 'status');
  if (status === undefined) return [sentence(`VEX: ${titleOf(chunk)}`, chunk)];
  const [reason] = attributeTexts(chunk, 'justification', 'impact', 'impactStatement', 'reason');
  const products = [
    ...attributeTexts(chunk, 'product', 'products'),
    ...chunk.packages.slice(0, MAX_NAMES).map(nameText),
  ];
  const location = products.length > 0 ? ` for ${listed(products, 2)}` : '';
  return [
    sentence(
      `VEX: ${nameOf(chunk)} is ${announcement(status)}${location}${reason ? ` (${announcement(reason)})` : ''}`,
      chunk,
    ),
    ...attributeTexts(chunk, 'actionStatement').map((action) => sentence(`VEX: ${action}`, chunk)),
  ];
};

export const policySentences = (chunk: StoredChunk, queryTerms: ReadonlySet<string>): Sentence[] => {
  const excerpt = pickExcerpt(chunk, queryTerms);
  const verdict = attributeTexts(chunk, 'verdict', 'decision', 'action', 'enforcement').map(announcement);
  const state = attributeTexts(chunk, 'status', 'state').map(announcement);
  return [
    sentence(`Policy: ${titleOf(chunk)}${excerpt === '' || has(titleOf(chunk), excerpt) ? '' : `: ${excerpt}`}`, chunk),
    ...(verdict.length > 0 ? [sentence(`Verdict of ${titleOf(chunk)}: ${listed(verdict)}`, chunk)] : []),
    ...(state.length > 0 ? [sentence(`State of ${titleOf(chunk)}: ${listed(state)}`, chunk)] : []),
  ];
};

/** Category and reason in parentheses: `(HealthCheckFailed, probe-failed)`. */
const KIND = /\s*\([\w-]{1,80}, [\w-]{1,80}\)$/u;

/** Cause, reason and next step. */
const accountSentences = (chunk: StoredChunk): Sentence[] => {
  const cause = labelledText(chunk, 'Cause') ?? labelledText(chunk, 'It failed');
  const [reason, next] = [
    labelledText(chunk, 'Why it was done') ?? labelledText(chunk, 'Why'),
    labelledText(chunk, 'What to do'),
  ];
  return [
    ...(cause === undefined ? [] : [sentence(`Cause: ${cause.replace(KIND, '')}`, chunk)]),
    ...(reason === undefined ? [] : [sentence(`Why it was done: ${reason}`, chunk)]),
    ...(next === undefined ? [] : [sentence(`What to do: ${next}`, chunk)]),
  ];
};

const MAX_REASONS = 2;

/** A state, and why it is so, in the words that the thing's document has for people, else in those of its attributes. */
const stateSentences = (chunk: StoredChunk, state: readonly string[], reasons: readonly string[]): Sentence[] => {
  const title = titleOf(chunk);
  const unmentioned = state.filter((each) => !has(title, each));
  const account = accountSentences(chunk);
  const head = sentence(`${title}${unmentioned.length > 0 ? `: ${listed(unmentioned)}` : ''}`, chunk);
  if (account.length > 0) return [head, ...account];
  const reasonLines = reasonLinesOf(chunk, MAX_REASONS).map((reason) => sentence(reason, chunk));
  return [head, ...(reasons.length > 0 ? [sentence(`Reason: ${listed(reasons)}`, chunk)] : reasonLines)];
};

/** Matching sentence of a document, if any. */
const knowledgeSentences = (chunk: StoredChunk, queryTerms: ReadonlySet<string>): Sentence[] => {
  const excerpt = pickExcerpt(chunk, queryTerms);
  return excerpt === '' ? [] : [sentence(`${titleOf(chunk)}: ${excerpt}`, chunk)];
};

/** State with its reasons, otherwise the matching excerpt. */
export const aboutThing = (chunk: StoredChunk, queryTerms: ReadonlySet<string>): Sentence[] => {
  if (chunk.domain === 'knowledge') return knowledgeSentences(chunk, queryTerms);
  const state = attributeTexts(chunk, 'status', 'state', 'verdict').map(announcement);
  const reasons = attributeTexts(chunk, 'reason', 'reasons', 'hold', 'failureReason').map(announcement);
  if (state.length > 0 || reasons.length > 0) return stateSentences(chunk, state, reasons);
  const [title, excerpt] = [titleOf(chunk), pickExcerpt(chunk, queryTerms)];
  return [sentence(excerpt === '' || has(title, excerpt) ? title : `${title}: ${excerpt}`, chunk)];
};

import type { StoredChunk } from '../corpus/chunk.ts';
import { listed, passageOf, type Sentence, said, sentence, titleOf } from './facts.ts';
import { folded } from './words.ts';

/** What a vulnerability is called in a chunk about it. */
const nameOf = (chunk: StoredChunk): string =>
  chunk.identifiers.find((id) => /^CVE-/iu.test(id)) ?? chunk.identifiers[0] ?? titleOf(chunk);

/** `log4j-core (Maven)`. */
const packagesOf = ({ packages, ecosystem }: StoredChunk): string =>
  `${listed(packages)}${ecosystem ? ` (${ecosystem})` : ''}`;

const has = (text: string, part: string): boolean => folded(text).includes(folded(part));

/** What the thing is: its name, its title, what the best sentence of its text says. */
const whatItIs = (chunk: StoredChunk, asked: ReadonlySet<string>): Sentence[] => {
  const [name, title, passage] = [nameOf(chunk), titleOf(chunk), passageOf(chunk, asked)];
  const head = has(title, name) ? title : `${name}: ${title}`;
  return [
    sentence(head, chunk),
    ...(passage !== '' && !has(head, passage) && !has(passage, head) ? [sentence(passage, chunk)] : []),
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
  const versions = said(chunk, 'fixed');
  return versions.length > 0 ? [sentence(`${nameOf(chunk)} is fixed in ${listed(versions, 6)}`, chunk)] : [];
};

/** CISA's catalogue: since when it is known to be exploited, and what is to be done until when. */
const exploitation = (chunk: StoredChunk): Sentence[] => {
  const [[added], [action], [due]] = [
    said(chunk, 'dateAdded'),
    said(chunk, 'requiredAction', 'action'),
    said(chunk, 'dueDate'),
  ];
  return [
    ...(added ? [sentence(`${nameOf(chunk)} is listed as exploited since ${added}`, chunk)] : []),
    ...(action ? [sentence(`Required action: ${action.replace(/\.$/u, '')}${due ? `, due ${due}` : ''}`, chunk)] : []),
  ];
};

export const aboutVulnerability = (chunk: StoredChunk, asked: ReadonlySet<string>): Sentence[] => [
  ...whatItIs(chunk, asked),
  ...severity(chunk),
  ...fixes(chunk),
  ...exploitation(chunk),
];

/** `not_affected` reads as words. */
const spoken = (word: string): string => word.replaceAll('_', ' ');

/** Every word of a VEX statement is the statement's own: its status, its product, its reason. */
export const aboutStatement = (chunk: StoredChunk): Sentence[] => {
  const [status] = said(chunk, 'status');
  if (status === undefined) return [sentence(`VEX: ${titleOf(chunk)}`, chunk)];
  const [reason] = said(chunk, 'justification', 'impact', 'impactStatement', 'reason');
  const products = [...said(chunk, 'product', 'products'), ...chunk.packages];
  const where = products.length > 0 ? ` for ${listed(products, 2)}` : '';
  return [
    sentence(`VEX: ${nameOf(chunk)} is ${spoken(status)}${where}${reason ? ` (${spoken(reason)})` : ''}`, chunk),
    ...said(chunk, 'actionStatement').map((action) => sentence(`VEX: ${action}`, chunk)),
  ];
};

export const aboutPolicy = (chunk: StoredChunk, asked: ReadonlySet<string>): Sentence[] => {
  const passage = passageOf(chunk, asked);
  const verdict = said(chunk, 'verdict', 'decision', 'action', 'enforcement').map(spoken);
  const state = said(chunk, 'status', 'state').map(spoken);
  return [
    sentence(`Policy: ${titleOf(chunk)}${passage === '' || has(titleOf(chunk), passage) ? '' : `: ${passage}`}`, chunk),
    ...(verdict.length > 0 ? [sentence(`Verdict of ${titleOf(chunk)}: ${listed(verdict)}`, chunk)] : []),
    ...(state.length > 0 ? [sentence(`State of ${titleOf(chunk)}: ${listed(state)}`, chunk)] : []),
  ];
};

/** Whatever else there is: its title with its state and reasons, or else the passage that speaks to the question. */
export const aboutThing = (chunk: StoredChunk, asked: ReadonlySet<string>): Sentence[] => {
  const state = said(chunk, 'status', 'state', 'verdict').map(spoken);
  const reasons = said(chunk, 'reason', 'reasons', 'hold', 'failureReason').map(spoken);
  const [title, passage] = [titleOf(chunk), passageOf(chunk, asked)];
  if (state.length === 0 && reasons.length === 0)
    return [sentence(passage === '' || has(title, passage) ? title : `${title}: ${passage}`, chunk)];
  return [
    sentence(`${title}${state.length > 0 ? `: ${listed(state)}` : ''}`, chunk),
    ...(reasons.length > 0 ? [sentence(`Reason: ${listed(reasons)}`, chunk)] : []),
  ];
};

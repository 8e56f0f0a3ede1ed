import type { Severity } from '../domains.ts';
import { number, text } from './values.ts';

const WORDS: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  important: 'high',
  high: 'high',
  moderate: 'medium',
  medium: 'medium',
  low: 'low',
  minor: 'low',
  negligible: 'low',
  info: 'none',
  informational: 'none',
  none: 'none',
};

/** A source's own word. `moderate` is GitHub's, `important` is Red Hat's, `negligible` is Ubuntu's. */
export const severityOfLabel = (value: unknown): Severity | undefined => {
  const word = text(value)?.toLowerCase();
  return word !== undefined && Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
};

/** The rating of CVSS 3.0 to 4.0 (section 5 of the 3.1 specification, 6 of the 4.0 one). */
export const severityOfScore = (score: number): Severity => {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'none';
};

/** CVSS 2.0 knows no critical. */
const severityOfScore2 = (score: number): Severity => {
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : 'low';
};

type Weights = Readonly<Record<string, Readonly<Record<string, number>>>>;

const WEIGHTS_3: Weights = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
};

/** What privileges weigh depends on whether the scope changes. */
const PRIVILEGES: Weights = { U: { N: 0.85, L: 0.62, H: 0.27 }, C: { N: 0.85, L: 0.68, H: 0.5 } };

const WEIGHTS_2: Weights = {
  AV: { L: 0.395, A: 0.646, N: 1 },
  AC: { H: 0.35, M: 0.61, L: 0.71 },
  Au: { M: 0.45, S: 0.56, N: 0.704 },
  C: { N: 0, P: 0.275, C: 0.66 },
  I: { N: 0, P: 0.275, C: 0.66 },
  A: { N: 0, P: 0.275, C: 0.66 },
};

const metricsOf = (vector: string): ReadonlyMap<string, string> =>
  new Map(
    vector.split('/').flatMap((part) => {
      const [name, value, ...more] = part.split(':');
      return name !== undefined && value !== undefined && more.length === 0 ? [[name, value] as const] : [];
    }),
  );

/** The least number with one decimal that is not below; integers, since 4.02 has no exact double (3.1, appendix A). */
const roundUp = (value: number): number => {
  const whole = Math.round(value * 100_000);
  return whole % 10_000 === 0 ? whole / 100_000 : (Math.floor(whole / 10_000) + 1) / 10;
};

/** A vector may say anything, the names of what every object has too. */
const weightOf = (weights: Weights, name: string, value = ''): number => {
  const named = Object.hasOwn(weights, name) ? weights[name] : undefined;
  return (named && Object.hasOwn(named, value) ? named[value] : undefined) ?? Number.NaN;
};

const weigh = (weights: Weights, metrics: ReadonlyMap<string, string>, name: string): number =>
  weightOf(weights, name, metrics.get(name));

/** The base score of a CVSS 3.0 or 3.1 vector, or nothing where a base metric is missing or unknown. */
export const baseScore3 = (vector: string): number | undefined => {
  if (!/^CVSS:3\.[01]\//.test(vector)) return undefined;
  const metrics = metricsOf(vector);
  const isChanged = metrics.get('S') === 'C';
  const of = (name: string): number => weigh(WEIGHTS_3, metrics, name);
  const privileges = weightOf(PRIVILEGES, metrics.get('S') ?? '', metrics.get('PR'));
  const base = 1 - (1 - of('C')) * (1 - of('I')) * (1 - of('A'));
  const impact = isChanged ? 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 : 6.42 * base;
  const exploitability = 8.22 * of('AV') * of('AC') * privileges * of('UI');
  if (Number.isNaN(impact + exploitability)) return undefined;
  return impact <= 0 ? 0 : roundUp(Math.min((isChanged ? 1.08 : 1) * (impact + exploitability), 10));
};

/** The base score of a CVSS 2.0 vector (3.2.1 of its guide). */
export const baseScore2 = (vector: string): number | undefined => {
  const metrics = metricsOf(vector.replace(/^\(|\)$/g, ''));
  const of = (name: string): number => weigh(WEIGHTS_2, metrics, name);
  const impact = 10.41 * (1 - (1 - of('C')) * (1 - of('I')) * (1 - of('A')));
  const exploitability = 20 * of('AV') * of('AC') * of('Au');
  const score = (0.6 * impact + 0.4 * exploitability - 1.5) * (impact === 0 ? 0 : 1.176);
  return Number.isNaN(score) ? undefined : Math.max(0, Math.round(score * 10) / 10);
};

/** One statement of how bad something is: a vector, a number or a word, as sources put it. */
export interface Rating {
  readonly vector?: unknown;
  readonly score?: unknown;
  readonly word?: unknown;
  /** The number is one of CVSS 2.0. */
  readonly isVersion2?: boolean;
}

export interface Rated {
  readonly severity: Severity | undefined;
  readonly score: number | undefined;
  readonly vector: string | undefined;
}

const rateOne = ({ vector, score, word, isVersion2 = false }: Rating): Rated | undefined => {
  const written = text(vector);
  const isOld = isVersion2 || (written !== undefined && /^\(?AV:[LAN]\/AC:[HML]\/Au:/.test(written));
  const computed = written === undefined ? undefined : (isOld ? baseScore2 : baseScore3)(written);
  const given = number(score);
  const points = computed ?? (given !== undefined && given >= 0 && given <= 10 ? given : undefined);
  const said = severityOfLabel(word);
  if (points === undefined && said === undefined) return undefined;
  const counted = points === undefined ? undefined : (isOld ? severityOfScore2 : severityOfScore)(points);
  return { severity: counted ?? said, score: points, vector: written };
};

/** How bad something is, by the first rating that says so; where none does, the vector is kept all the same. */
export const rate = (...ratings: readonly Rating[]): Rated => {
  for (const rating of ratings) {
    const rated = rateOne(rating);
    if (rated) return rated;
  }
  const vector = ratings.map((rating) => text(rating.vector)).find((written) => written !== undefined);
  return { severity: undefined, score: undefined, vector };
};

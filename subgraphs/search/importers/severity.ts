import cvss from 'ae-cvss-calculator';
import type { Severity } from '../shared/domains.ts';
import { number, textOf } from './values.ts';

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

/** Severity of a source's label. `moderate` is GitHub's, `important` Red Hat's, `negligible` Ubuntu's. */
export const severityOfLabel = (value: unknown): Severity | undefined => {
  const word = textOf(value)?.toLowerCase();
  return word !== undefined && Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
};

/** Rating of CVSS 3.0 to 4.0 (section 5 of the 3.1 specification, 6 of the 4.0 one). */
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

const BASE_METRIC = /^(?:AV|AC|Au|PR|UI|S|C|I|A):/;

/** A base score of a vector; undefined where a base metric is missing or unknown. Other metrics have no part in it. */
const baseScoreOf = (
  vector: InstanceType<typeof cvss.Cvss2 | typeof cvss.Cvss3P0 | typeof cvss.Cvss3P1>,
  text: string,
): number | undefined => {
  try {
    for (const metric of text.split('/').filter((part) => BASE_METRIC.test(part))) {
      const [name = '', value = ''] = metric.split(':');
      vector.applyComponentString(name, value);
    }
    // The calculator returns -0 where nothing is impaired.
    return vector.isBaseFullyDefined() ? Math.max(0, vector.calculateScores().base ?? 0) : undefined;
  } catch {
    return undefined;
  }
};

export const baseScore3 = (text: string): number | undefined => {
  if (!/^CVSS:3\.[01]\//.test(text)) return undefined;
  return baseScoreOf(text.startsWith('CVSS:3.0') ? new cvss.Cvss3P0() : new cvss.Cvss3P1(), text);
};

export const baseScore2 = (text: string): number | undefined =>
  baseScoreOf(new cvss.Cvss2(), text.replace(/^\(|\)$/g, ''));

/** Severity statement of a source: a CVSS vector, a number or a word. */
export interface Rating {
  readonly vector?: unknown;
  readonly score?: unknown;
  readonly word?: unknown;
  readonly isVersion2?: boolean;
}

export interface Rated {
  readonly severity: Severity | undefined;
  readonly score: number | undefined;
  readonly vector: string | undefined;
}

const rateOne = ({ vector, score, word, isVersion2 = false }: Rating): Rated | undefined => {
  const text = textOf(vector);
  const isOld = isVersion2 || (text !== undefined && /^\(?AV:[LAN]\/AC:[HML]\/Au:/.test(text));
  const computed = text === undefined ? undefined : (isOld ? baseScore2 : baseScore3)(text);
  const rating = number(score);
  const points = computed ?? (rating !== undefined && rating >= 0 && rating <= 10 ? rating : undefined);
  const labelled = severityOfLabel(word);
  if (points === undefined && labelled === undefined) return undefined;
  const counted = points === undefined ? undefined : (isOld ? severityOfScore2 : severityOfScore)(points);
  return { severity: counted ?? labelled, score: points, vector: text };
};

/** First rating with a value; otherwise the vector alone. */
export const rate = (...ratings: readonly Rating[]): Rated => {
  for (const rating of ratings) {
    const rated = rateOne(rating);
    if (rated) return rated;
  }
  const vector = ratings.map((rating) => textOf(rating.vector)).find((text) => text !== undefined);
  return { severity: undefined, score: undefined, vector };
};

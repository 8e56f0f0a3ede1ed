import cvss from 'ae-cvss-calculator';

export type CvssVersion = '4.0' | '3.1' | '3.0' | '2.0';

interface CvssScore {
  readonly version: CvssVersion;
  /** Base score × 10; of version 4.0 its one score, which counts the threat and environmental metrics of the vector. */
  readonly tenths: number;
}

const BASE_METRICS: Readonly<Record<CvssVersion, readonly string[]>> = {
  '4.0': ['AV', 'AC', 'AT', 'PR', 'UI', 'VC', 'VI', 'VA', 'SC', 'SI', 'SA'],
  '3.1': ['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A'],
  '3.0': ['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A'],
  '2.0': ['AV', 'AC', 'Au', 'C', 'I', 'A'],
};

const versionOf = (vector: string): CvssVersion | undefined => {
  const [, version] = /^CVSS:([\d.]+)\//.exec(vector) ?? [];
  if (version === '4.0' || version === '3.1' || version === '3.0') return version;
  return /^(?:[A-Za-z]+:[A-Za-z]+)(?:\/|$)/.test(vector) ? '2.0' : undefined;
};

const calculatorOf = (version: CvssVersion) => {
  if (version === '4.0') return new cvss.Cvss4P0();
  if (version === '3.1') return new cvss.Cvss3P1();
  return version === '3.0' ? new cvss.Cvss3P0() : new cvss.Cvss2();
};

const calculate = (written: string): CvssScore | undefined => {
  // Version 2.0 may stand in brackets.
  const vector = written.replace(/^\((.*)\)$/, '$1');
  const version = versionOf(vector);
  if (version === undefined) return undefined;
  const metrics = vector
    .replace(/^CVSS:[\d.]+\//, '')
    .replace(/\/$/, '')
    .split('/')
    .map((part) => part.split(':'));
  const names = metrics.map(([name = '']) => name);
  if (new Set(names).size < names.length || BASE_METRICS[version].some((name) => !names.includes(name)))
    return undefined;
  try {
    const calculator = calculatorOf(version);
    // The vector string of the constructor is read leniently; metrics that are applied one by one are not.
    for (const [name = '', value = ''] of metrics) calculator.applyComponentString(name, value);
    const scores = calculator.calculateScores();
    const score = version === '4.0' || !('base' in scores) ? scores.overall : (scores.base ?? Number.NaN);
    // The calculator gives -0 where nothing is impaired.
    const tenths = Math.max(0, Math.round(score * 10));
    return Number.isNaN(tenths) ? undefined : { version, tenths };
  } catch {
    return undefined;
  }
};

/** Vectors that are cached before all are dropped: a few megabytes. */
const MOST_VECTORS = 20_000;

const scores = new Map<string, CvssScore | undefined>();

/**
 * Score of a CVSS vector; undefined where a metric is unknown, repeated or a base metric is missing. Cached: half a million
 * advisories have a few thousand different vectors, and a score depends on nothing else.
 */
export const scoreVector = (written: string): CvssScore | undefined => {
  if (scores.has(written)) return scores.get(written);
  const score = calculate(written);
  if (scores.size >= MOST_VECTORS) scores.clear();
  scores.set(written, score);
  return score;
};

import { type CvssVersion, scoreVector } from './cvss-score.ts';
import type { OsvAffected, OsvRecord, PublishedSeverity } from './osv-record.ts';

/** Severity of a finding as it is frozen. */
interface Severity {
  /** First of these for which the alias group has a value. */
  readonly severitySource: 'cvss' | 'vendor' | 'default';
  readonly cvssTenths: number | null;
  readonly vendorSeverity: string | null;
  readonly cvssVersion: CvssVersion | null;
  readonly cvssVector: string | null;
}

interface SeverityPolicy {
  /** Tenths by the vendor's word in lower case, `medium` for `moderate`. */
  readonly vendorSeverityTenths: Readonly<Record<string, number>>;
  /** Sources that are preferred at equal CVSS version, best first; all others follow. */
  readonly sourceOrder?: readonly string[];
}

/** Severity that one advisory of an alias group publishes for the finding's package. */
export interface SourcedSeverity extends PublishedSeverity {
  readonly source: string;
}

interface Candidate {
  readonly severity: Severity;
  /** Lower is preferred: the position of the CVSS version, then of the source. */
  readonly preference: readonly [version: number, source: number];
}

const VERSIONS: readonly CvssVersion[] = ['4.0', '3.1', '3.0', '2.0'];

/** Severity that an advisory publishes for entries of a package, and for itself. */
export const publishedSeverity = (record: OsvRecord, entries: readonly OsvAffected[]): PublishedSeverity => {
  const all = [...entries.map(({ severity }) => severity), record.severity];
  return {
    cvssVectors: all.flatMap(({ cvssVectors }) => cvssVectors),
    vendorWords: all.flatMap(({ vendorWords }) => vendorWords),
  };
};

const scoredVectors = ({ cvssVectors }: SourcedSeverity, source: number): Candidate[] =>
  cvssVectors.flatMap((vector) => {
    const score = scoreVector(vector);
    if (score === undefined) return [];
    const { version, tenths } = score;
    const severity = {
      severitySource: 'cvss',
      cvssTenths: tenths,
      vendorSeverity: null,
      cvssVersion: version,
      cvssVector: vector,
    } as const;
    return [{ severity, preference: [VERSIONS.indexOf(version), source] }];
  });

const ratedWords = ({ vendorWords }: SourcedSeverity, source: number, policy: SeverityPolicy): Candidate[] =>
  vendorWords.flatMap((word) => {
    const lower = word.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    const key = lower === 'moderate' ? 'medium' : lower;
    const tenths = Object.hasOwn(policy.vendorSeverityTenths, key) ? policy.vendorSeverityTenths[key] : undefined;
    if (tenths === undefined) return [];
    const severity = {
      severitySource: 'vendor',
      cvssTenths: tenths,
      vendorSeverity: word,
      cvssVersion: null,
      cvssVector: null,
    } as const;
    return [{ severity, preference: [0, source] }];
  });

/** Preferred first; at a tie the higher score, then byte order, so that the order of advisories has no part in it. */
const compareCandidates = (a: Candidate, b: Candidate): number => {
  const textOf = ({ severity }: Candidate) => Buffer.from(severity.cvssVector ?? severity.vendorSeverity ?? '');
  return (
    a.preference[0] - b.preference[0] ||
    a.preference[1] - b.preference[1] ||
    (b.severity.cvssTenths ?? 0) - (a.severity.cvssTenths ?? 0) ||
    Buffer.compare(textOf(a), textOf(b))
  );
};

/** Severity of an alias group: by CVSS, otherwise by a word of the vendor that the policy knows, otherwise none. */
export const severityOf = (advisories: readonly SourcedSeverity[], policy: SeverityPolicy): Severity => {
  const order = policy.sourceOrder ?? [];
  const sourced = advisories.map((advisory) => {
    const position = order.indexOf(advisory.source);
    return { advisory, position: position === -1 ? order.length : position };
  });
  const scored = sourced.flatMap(({ advisory, position }) => scoredVectors(advisory, position));
  const rated = sourced.flatMap(({ advisory, position }) => ratedWords(advisory, position, policy));
  const [best] = (scored.length > 0 ? scored : rated).sort(compareCandidates);
  return (
    best?.severity ?? {
      severitySource: 'default',
      cvssTenths: null,
      vendorSeverity: null,
      cvssVersion: null,
      cvssVector: null,
    }
  );
};

/** Severities, greatest first. One that is unknown is scored as 7.0 (policy `unknownCvssTenths`), the least that is high. */
export const SEVERITIES = ['critical', 'high', 'unknown', 'medium', 'low', 'none'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Severity by vulnerability id. */
export type Severities = ReadonlyMap<string, Severity>;

/** Greatest severity of the vulnerabilities; `unknown` where there is none. */
export const greatestSeverity = (ids: readonly string[], severities: Severities): Severity =>
  SEVERITIES.find((severity) => ids.some((id) => (severities.get(id) ?? 'unknown') === severity)) ?? 'unknown';

/** Severity of a base score in tenths (CVSS 4.0, qualitative rating scale); `unknown` without one. */
export const severityOf = (tenths: number | null): Severity => {
  if (tenths === null) return 'unknown';
  if (tenths >= 90) return 'critical';
  if (tenths >= 70) return 'high';
  if (tenths >= 40) return 'medium';
  return tenths > 0 ? 'low' : 'none';
};

/** Severities, greatest first. One that is unknown is scored as 7.0 (policy `unknownCvssTenths`), the least that is high. */
export const SEVERITIES = ['critical', 'high', 'unknown', 'medium', 'low', 'none'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Severity by vulnerability id. */
export type Severities = ReadonlyMap<string, Severity>;

/** Greatest severity of the vulnerabilities; `unknown` where there is none. */
export const greatestSeverity = (ids: readonly string[], severities: Severities): Severity =>
  SEVERITIES.find((severity) => ids.some((id) => (severities.get(id) ?? 'unknown') === severity)) ?? 'unknown';

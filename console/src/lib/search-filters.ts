import type { SearchDomain, SearchSeverity } from '../generated/operations.ts';

export const SEARCH_DOMAINS = [
  'FINDINGS',
  'VEX',
  'POLICY',
  'RELEASE',
  'SCANNER',
  'GRAPH',
  'TIMELINE',
  'OPSMEMORY',
  'KNOWLEDGE',
] as const satisfies readonly SearchDomain[];

/** Severities from the worst to none. */
export const SEARCH_SEVERITIES = [
  'CRITICAL',
  'HIGH',
  'MEDIUM',
  'LOW',
  'NONE',
] as const satisfies readonly SearchSeverity[];

/** Values as the URL and the routes of spec 4.7 spell them. */
export const urlSpelling = (values: readonly string[]): readonly string[] => values.map((value) => value.toLowerCase());

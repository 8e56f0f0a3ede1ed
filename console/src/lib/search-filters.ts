/** Filter values of search, as the URL and the routes of spec 4.7 spell them. */
export const SEARCH_DOMAINS = [
  'findings',
  'vex',
  'policy',
  'release',
  'scanner',
  'graph',
  'timeline',
  'opsmemory',
  'knowledge',
] as const;

/** From the worst to none at all. */
export const SEARCH_SEVERITIES = ['critical', 'high', 'medium', 'low', 'none'] as const;

/** The kinds of corpus there are (spec 1 and 2.8), in the order in which they are told. */
export const DOMAINS = [
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

export type Domain = (typeof DOMAINS)[number];

export const isDomain = (word: string): word is Domain => DOMAINS.some((domain) => domain === word);

/** From the worst to none at all. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'none'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** What cards are about. */
export const ENTITY_TYPES = [
  'vulnerability',
  'package',
  'image',
  'release',
  'deployment',
  'promotion',
  'environment',
  'target',
  'agent',
  'integration',
  'policy',
  'scan',
  'decision',
  'document',
  'operation',
  'check',
] as const;

export type EntityType = (typeof ENTITY_TYPES)[number];

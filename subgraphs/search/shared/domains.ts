/** Domains of the corpus (spec 1 and 2.8), in order of answers. */
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

/** Severities in descending order. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'none'] as const;

export type Severity = (typeof SEVERITIES)[number];

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
  'product',
] as const;

export type EntityType = (typeof ENTITY_TYPES)[number];

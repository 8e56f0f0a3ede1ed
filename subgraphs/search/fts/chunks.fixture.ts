import fc from 'fast-check';
import { DOMAINS, ENTITY_TYPES, SEVERITIES } from '../shared/domains.ts';
import type { IndexedChunk, LaneAnswer } from './lane.ts';

/** Creates a chunk for tests, with plain defaults. */
export const chunkOf = (number: number, chunk: Partial<IndexedChunk> = {}): IndexedChunk => ({
  number,
  tenant: 'acme',
  domain: 'findings',
  entityKey: `vulnerability:${number}`,
  entityType: 'vulnerability',
  identifiers: [],
  packages: [],
  title: '',
  body: '',
  severity: null,
  ecosystem: null,
  ...chunk,
});

const WORDS =
  'overflow overflows heap heaps stack parser parsers token tokens path traversal lodash log4j-core rails'.split(' ');

/** Few words, so that documents share them, and scores are equal often. */
const anyText = fc.array(fc.constantFrom(...WORDS), { minLength: 0, maxLength: 8 }).map((words) => words.join(' '));

/** Arbitrary chunk with a number, of one of two tenants or shared, and of one of few entities. */
export const anyChunk = (number: number): fc.Arbitrary<IndexedChunk> =>
  fc.record({
    number: fc.constant(number),
    tenant: fc.constantFrom('acme', 'other', '*'),
    domain: fc.constantFrom(...DOMAINS.slice(0, 2)),
    entityKey: fc.integer({ min: 0, max: 12 }).map((entity) => `vulnerability:${entity}`),
    entityType: fc.constantFrom(...ENTITY_TYPES.slice(0, 2)),
    identifiers: fc.array(fc.constantFrom('CVE-2024-1', 'CVE-2024-2', 'GHSA-aaaa-bbbb-cccc'), { maxLength: 2 }),
    packages: fc.array(fc.constantFrom('lodash', 'log4j-core', 'pkg:npm/lodash@4.17.20'), { maxLength: 1 }),
    title: anyText,
    body: anyText,
    severity: fc.option(fc.constantFrom(...SEVERITIES)),
    ecosystem: fc.option(fc.constantFrom('npm', 'PyPI')),
  });

/** Arbitrary query text: known, misspelt and incomplete words. */
export const anyQueryText = fc
  .array(fc.constantFrom(...WORDS, 'overflw', 'stakc', 'par', 'CVE-2024-1', 'pkg:npm/lodash', 'unheard'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((words) => words.join(' '));

export const anyFilters = fc.record(
  {
    severity: fc.uniqueArray(fc.constantFrom(...SEVERITIES), { minLength: 1, maxLength: 3 }),
    ecosystem: fc.uniqueArray(fc.constantFrom('npm', 'PyPI'), { minLength: 1 }),
    entityType: fc.uniqueArray(fc.constantFrom(...ENTITY_TYPES.slice(0, 2)), { minLength: 1 }),
    domains: fc.uniqueArray(fc.constantFrom(...DOMAINS.slice(0, 2)), { minLength: 1 }),
  },
  { requiredKeys: [] },
);

/** Comparable part of an answer: without its duration and the chunks beside the best. */
export const comparableAnswer = ({ exact, domains, words, facets }: LaneAnswer) => {
  const plain = (all: LaneAnswer['domains']) =>
    all.map(({ domain, hits }) => ({
      domain,
      hits: hits.map(({ number, entityKey, score, coverage }) => ({ number, entityKey, score, coverage })),
    }));
  return { exact: plain(exact), domains: plain(domains), words, facets };
};

/** Numbers of the best chunks of all domains. */
export const numbersOf = ({ domains }: LaneAnswer): number[] =>
  domains.flatMap(({ hits }) => hits.map(({ number }) => number));

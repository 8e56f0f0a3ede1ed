import { type Chunk, chunkIdOf, type StoredChunk } from '../corpus/chunk.ts';
import type { Card, Found } from '../query/card.ts';

const AT = new Date('2026-01-02T03:04:05.000Z');

/** Creates a chunk with an advisory's defaults, with the given fields overridden. */
export const chunk = (overrides: Partial<StoredChunk> = {}): StoredChunk => ({
  number: 1,
  domain: 'findings',
  source: 'osv',
  documentKey: 'CVE-2023-31606',
  part: 0,
  entityType: 'vulnerability',
  entityKey: 'vulnerability:CVE-2023-31606',
  title: 'RedCloth Regular Expression Denial of Service issue',
  body: 'A ReDoS issue was discovered in the sanitize_html function. It lets attackers cause a denial of service.',
  identifiers: ['CVE-2023-31606', 'GHSA-qcm3-vfq5-wfr2'],
  packages: ['RedCloth'],
  severity: 'high',
  ecosystem: 'RubyGems',
  attributes: { fixed: ['4.3.3'] },
  updatedAt: AT,
  ...overrides,
});

/** Creates a VEX statement on the same vulnerability. */
export const statement = (overrides: Partial<StoredChunk> = {}): StoredChunk =>
  chunk({
    number: 2,
    domain: 'vex',
    source: 'openvex',
    documentKey: 'acme/1',
    title: 'CVE-2023-31606 not_affected in pkg:oci/shop@1.4.2',
    body: 'vulnerable_code_not_present. The shop does not ship the parser.',
    identifiers: ['CVE-2023-31606'],
    packages: ['pkg:oci/shop@1.4.2'],
    severity: undefined,
    ecosystem: undefined,
    attributes: { status: 'not_affected', justification: 'vulnerable_code_not_present' },
    ...overrides,
  });

interface FoundSeed {
  readonly query?: string;
  readonly coverage?: number;
  readonly lane?: string;
}

/** Result of a query: a card for each entity of `chunks`, in order. */
export const found = (
  chunks: readonly (Chunk & StoredChunk)[],
  { query = 'RedCloth denial of service', coverage = 1, lane = 'fts:findings' }: FoundSeed = {},
): Found => {
  const keys = [...new Set(chunks.map(({ entityKey }) => entityKey))];
  const cards = keys.flatMap((key, index): Card[] => {
    const own = chunks.filter(({ entityKey }) => entityKey === key);
    const [first] = own;
    if (!first) return [];
    return [
      {
        entityKey: key,
        entityType: first.entityType,
        domain: first.domain,
        title: first.title,
        summary: first.body,
        severity: first.severity ?? null,
        ecosystem: first.ecosystem ?? null,
        score: 1 / (index + 1),
        chunkIds: own.map(chunkIdOf),
        numbers: own.map(({ number }) => number),
        highlights: [],
        why: [{ lane, rank: index + 1, contribution: 1 / (index + 1) }],
        ref: null,
      },
    ];
  });
  return {
    query,
    topK: 10,
    cards,
    facets: [],
    diagnostics: { mode: 'fts-only', usedVector: false, durationMs: 1, servedBy: 'index', coverage },
    chunks: new Map(chunks.map((each) => [chunkIdOf(each), each])),
  };
};

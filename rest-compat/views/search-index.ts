import type { Search } from '@landfall/search';

type Rebuilt = Awaited<ReturnType<Search['rebuild']['rebuild']>>;
type Provenance = Rebuilt['adapters'][number];

const SOURCES = { upstream: 'Upstream', snapshot: 'Snapshot' } as const;

/** Two names begin with a capital, as the specification writes them (rulings 34). */
export const provenanceView = (provenance: Provenance) => ({
  name: provenance.name,
  domain: provenance.domain,
  source: SOURCES[provenance.source],
  cause: provenance.cause,
  attemptedTarget: provenance.attemptedTarget,
  SnapshotBackedCount: provenance.snapshotBackedCount,
  UpstreamSuppressedUntil: provenance.upstreamSuppressedUntil?.toISOString() ?? null,
});

export const rebuildView = ({ domainCount, chunkCount, durationMs, adapters }: Rebuilt) => ({
  domainCount,
  chunkCount,
  durationMs,
  adapters: adapters.map(provenanceView),
});

import Type from 'typebox';

const count = Type.Integer({ minimum: 0 });

const provenance = Type.Object({
  name: Type.Enum(['findings', 'policy', 'vex']),
  domain: Type.String(),
  source: Type.Enum(['Upstream', 'Snapshot']),
  cause: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it is not upstream: `http_404`, `suppressed`, `timeout`, `unreachable`, `malformed`, …',
  }),
  attemptedTarget: Type.String(),
  SnapshotBackedCount: Type.Integer({
    minimum: 0,
    description: 'Documents that searches are answered from meanwhile.',
  }),
  UpstreamSuppressedUntil: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
});

export const adapters = Type.Object({ adapters: Type.Array(provenance) });

export const rebuilt = Type.Object({
  domainCount: count,
  chunkCount: count,
  durationMs: count,
  adapters: Type.Array(provenance),
});

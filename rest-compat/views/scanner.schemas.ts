import Type from 'typebox';
import { count, digest, instant, nullable, strict, uuid } from './parts.ts';

export const scan = strict({
  scanId: uuid,
  status: Type.Enum(['queued', 'running', 'completed', 'failed']),
  imageDigest: nullable(digest),
  createdAt: instant,
  completedAt: nullable(instant),
  score: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  rootHash: nullable(digest),
  findingCount: nullable(count),
  error: nullable(Type.String()),
});

export const acceptedScan = strict({
  scanId: uuid,
  status: scan.properties.status,
  statusUrl: Type.String(),
});

const share = Type.Number({ minimum: 0, maximum: 1 });

export const finding = strict({
  findingId: Type.String(),
  scanId: uuid,
  imageDigest: nullable(digest),
  purl: Type.String(),
  vulnId: Type.String(),
  severity: nullable(Type.Enum(['critical', 'high', 'medium', 'low', 'none'])),
  cvss: nullable(Type.Number({ minimum: 0, maximum: 10 })),
  epss: nullable(share),
  kev: Type.Boolean(),
  reachability: Type.Enum(['reachable', 'potentially_reachable', 'unknown', 'unreachable']),
  exposure: Type.Enum(['internet', 'partner', 'internal', 'isolated', 'unknown']),
  vex: Type.Enum(['none', 'affected', 'under_investigation', 'fixed', 'not_affected']),
  score: share,
});

export const findingPage = strict({ items: Type.Array(finding), nextCursor: nullable(Type.String()) });

/** Advisories that affect a version of a package. */
export const affected = strict({
  isEvaluated: Type.Boolean(),
  ecosystem: nullable(Type.String()),
  advisories: Type.Array(
    strict({
      id: Type.String(),
      aliases: Type.Array(Type.String()),
      summary: nullable(Type.String()),
      modified: nullable(instant),
      severity: finding.properties.severity,
      fixedVersions: Type.Array(Type.String()),
    }),
  ),
  inconclusive: Type.Array(Type.String()),
});

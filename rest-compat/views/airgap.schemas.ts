import Type from 'typebox';
import { count, digest, instant, nullable } from './parts.ts';

export const airGapStatus = Type.Object({
  tenantId: Type.String(),
  mode: Type.Enum(['Unsealed', 'Sealed']),
  version: count,
  policyHash: nullable(digest),
  reason: nullable(Type.String({ description: 'Reason of the latest seal or unseal.' })),
  changedBy: nullable(Type.String()),
  changedAt: nullable(instant),
  sealedAt: nullable(instant),
  anchorDigest: nullable(digest),
  startupBlocked: nullable(
    Type.String({ description: 'Why imports and changes are refused since a start while sealed.' }),
  ),
});

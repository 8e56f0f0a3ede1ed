import Type from 'typebox';
import { count, digest, instant, nullable, strict } from './parts.ts';

export const vexDocument = strict({
  digest,
  source: Type.String(),
  format: Type.Enum(['openvex', 'csaf', 'cyclonedx']),
  trust: Type.Enum(['untrusted', 'trusted', 'verified']),
  signature: Type.Enum(['none', 'unchecked', 'invalid', 'verified']),
  issuedAt: nullable(instant),
  statementCount: count,
  problemCount: count,
  problems: Type.Array(strict({ path: Type.String(), reason: Type.String() })),
  importedAt: instant,
});

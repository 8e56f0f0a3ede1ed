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

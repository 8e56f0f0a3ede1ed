import Type from 'typebox';
import { count, digest, instant, nullable, uuid } from './parts.ts';

const status = Type.Enum(['queued', 'running', 'complete', 'failed']);

export const exportJob = Type.Object({
  exportId: uuid,
  status,
  statusUrl: Type.String(),
  checkedCount: count,
});

/** Document as it is in the archive, of which no field is left out. */
const manifest = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  description: 'manifest.json of the archive: entries with hash and size, root, and what is missing.',
});

export const exportStatus = Type.Object({
  exportId: uuid,
  bundleId: uuid,
  status,
  failure: nullable(Type.String()),
  rootHash: nullable(digest),
  signedAt: nullable(instant),
  missingCount: count,
  downloadUrl: nullable(Type.String()),
  manifest: nullable(manifest),
});

import Type from 'typebox';
import { count, digest, instant, nullable, uuid } from './parts.ts';

const text = Type.String();

export const offlineKitStatus = Type.Object({
  tenantId: text,
  root: nullable(Type.Object({ version: count, digest, threshold: count, expiresAt: instant, installedAt: instant })),
  kits: Type.Array(
    Type.Object({
      channel: text,
      kitId: uuid,
      digest,
      kind: Type.Enum(['feeds', 'release']),
      sequence: count,
      version: count,
      createdAt: instant,
      expiresAt: instant,
      installedAt: instant,
      components: count,
      revocation: nullable(text),
    }),
  ),
});

export const offlineKitManifest = Type.Object(
  {
    version: count,
    kitId: uuid,
    kind: Type.Enum(['feeds', 'release']),
    channel: text,
    sequence: count,
    previousKitDigest: nullable(digest),
    rootVersion: count,
    createdAt: instant,
    expiresAt: instant,
    components: Type.Array(
      Type.Object({ path: text, kind: text, hash: digest, size: count, counts: Type.Record(text, count) }),
    ),
    archive: Type.Object({
      hash: digest,
      size: count,
      parts: Type.Array(Type.Object({ index: count, size: count, hash: digest })),
    }),
    signature: text,
  },
  { description: 'Manifest of the kit that is in force in a channel, as it was signed.' },
);

export const mirrorStatus = Type.Object({
  state: Type.Enum(['queued', 'imported', 'complete', 'failed']),
  sourceId: text,
  sequence: Type.Integer({ minimum: 0, description: 'Imports of the source that took effect.' }),
  records: count,
  rejected: count,
  startedAt: nullable(instant),
  finishedAt: nullable(instant),
  errorMessage: nullable(text),
});

export const mirrorRequest = Type.Object({
  sourceId: text,
  folder: Type.Optional(
    Type.String({
      description: 'Folder or archive below the directory of mirrors; named like the source unless given.',
    }),
  ),
  kind: Type.Optional(Type.Enum(['feeds', 'vex'])),
  vexSource: Type.Optional(Type.String({ description: 'Registered VEX source of the documents, for `vex`.' })),
});

import { count, id, instant, json, text } from '@landfall/kernel/db/columns';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';

const disposals = table('evidence.disposals', {
  id: id('EvidenceDisposal'),
  artifactId: id('Artifact'),
  bomRef: text,
  serialNumber: text,
  sha256: text,
  sizeBytes: count,
  retainedUntil: instant,
  rule: text,
  disposedBy: text,
  disposedAt: instant,
  envelope: json(Type.Record(Type.String(), Type.Unknown())),
});

export type Disposal = RowOf<typeof disposals>;

export const { insert, listPage } = disposals;

/** Objects that the sweeper is to discard, whatever the prefix of its time. */
const objects = table('evidence.disposed_objects', { artifactId: id('Artifact'), storageKey: text });

export const insertObject = objects.insertIfAbsent;

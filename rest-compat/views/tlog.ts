import type { Orchestrator } from '@landfall/orchestrator';

type Submitted = Awaited<ReturnType<Orchestrator['transparencyLogs']['submit']>>;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** View of a log entry in the form of Rekor v2. */
export const logEntryView = ({ entry, logId }: Submitted) => ({
  logIndex: String(entry.index),
  logId: { keyId: base64(logId) },
  kindVersion: { kind: 'hashedrekord', version: '0.0.2' },
  inclusionProof: {
    logIndex: String(entry.index),
    rootHash: base64(entry.rootHash),
    treeSize: String(entry.treeSize),
    hashes: entry.hashes.map(base64),
    checkpoint: { envelope: entry.checkpoint },
  },
  canonicalizedBody: base64(entry.body),
});

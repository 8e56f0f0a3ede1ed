import type { Bundle } from '@sigstore/bundle';
import type { TrustMaterial } from '@sigstore/verify';

type LogEntry = Bundle['verificationMaterial']['tlogEntries'][number];
type Log = TrustMaterial['tlogs'][number];

/** Name under which a log signs checkpoints: its address without the scheme (C2SP tlog-checkpoint). */
const nameOf = ({ baseURL }: Log): string => baseURL.replace(/^https?:\/\//, '').replace(/\/+$/, '');

/** Names of the checkpoint's signatures with the key id of this log. */
const namesBy = (log: Log, lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => {
    const [, name, encoded = ''] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? [];
    const isOwn = Buffer.from(encoded, 'base64').subarray(0, 4).equals(log.logID.subarray(0, 4));
    return name !== undefined && isOwn ? [name] : [];
  });

const checkpointProblem = (proof: NonNullable<LogEntry['inclusionProof']>, log: Log): string | undefined => {
  const [origin = '', size, root, ...lines] = (proof.checkpoint?.envelope ?? '').split('\n');
  if (size !== proof.treeSize || root !== proof.rootHash.toString('base64'))
    return 'its proof is for another tree than its checkpoint';
  const name = nameOf(log);
  // Rekor v1 writes the number of its tree after its name.
  if (origin !== name && !origin.startsWith(`${name} - `)) return 'its checkpoint is of a log of another name';
  const names = namesBy(log, lines);
  return names.length > 0 && names.every((each) => each === name)
    ? undefined
    : 'its checkpoint is not signed under the name of its log';
};

/** Problem of a bundle's log entries that Sigstore's library does not check: number, time, log or checkpoint. */
export const logProblem = (entries: readonly LogEntry[], logs: readonly Log[]): string | undefined => {
  const [entry, ...rest] = entries;
  if (!entry) return undefined;
  if (rest.length > 0) return 'it has more than one entry';
  if (entry.inclusionPromise === undefined && Number(entry.integratedTime) !== 0)
    return 'its entry says when it was made, and nothing that is signed does';
  const log = logs.find(({ logID }) => logID.equals(entry.logId.keyId));
  if (!log) return 'the trusted root does not name its log';
  return entry.inclusionProof && checkpointProblem(entry.inclusionProof, log);
};

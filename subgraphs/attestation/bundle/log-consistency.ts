import { verifyConsistency } from '@landfall/kernel/crypto/merkle';
import { LogForked } from '../log/log-forked.ts';
import type { TransparencyLog } from '../log/transparency-log.ts';
import { openCheckpoint } from '../signature/checkpoint.ts';
import { type Finding, failed, passed } from './finding.ts';
import type { Trust } from './trust.ts';

export interface EarlierTree {
  readonly origin: string;
  readonly size: number;
  readonly rootHash: Buffer;
}

/** Parses a checkpoint and finds the trusted key that signed it under its log's name; undefined if none did. */
export const signedBy = (checkpoint: string, trust: Trust) => {
  for (const { origin } of trust.logKeys) {
    const opened = openCheckpoint(checkpoint, { origin, keys: trust.logKeys.filter((key) => key.origin === origin) });
    if (opened) return opened;
  }
  return undefined;
};

/** Converts a LogForked error to a finding, and throws any other error. */
export const forkFinding = (error: unknown): Finding => {
  if (!(error instanceof LogForked)) throw error;
  return failed('log-forked', error.message);
};

const compare = async (
  log: Pick<TransparencyLog, 'consistency'>,
  { origin, size, rootHash }: EarlierTree,
  trust: Trust,
): Promise<Finding> => {
  const proof = await log.consistency(size, origin);
  if (!proof) return failed('log-shrank', `the log has no tree of ${size} entries any more`);
  const newest = signedBy(proof.checkpoint, trust);
  if (newest?.origin !== origin)
    return failed('checkpoint-unsigned', 'the newest checkpoint is not signed by that log');
  const isConsistent = verifyConsistency({
    firstSize: size,
    firstRoot: rootHash,
    secondSize: newest.size,
    secondRoot: newest.rootHash,
    path: proof.hashes,
  });
  return isConsistent ? passed : failed('log-forked', 'the newest tree does not begin with the one that was proved');
};

/**
 * Checks that the log's newest tree extends the given one (RFC 9162 2.1.4), which detects a forked or truncated log.
 */
export const checkConsistency = (
  log: Pick<TransparencyLog, 'consistency'>,
  tree: EarlierTree,
  trust: Trust,
): Promise<Finding> => compare(log, tree, trust).catch(forkFinding);

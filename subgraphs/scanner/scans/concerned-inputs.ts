import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Manifest } from '../score/manifest.ts';

/** Digests of inputs by their role in a manifest. */
export type InputDigests = Readonly<Record<string, string>>;

/** Digest of an input that is not there (proofs 1). */
export const ABSENT_INPUT: string = sha256('');

/** Roles that concern every scan. */
const COMMON = ['feed:epss', 'feed:kev', 'policy', 'vex'];

/** Inputs that concern a scan: all but the advisories of ecosystems that it has no component of. */
export const concernedInputs = ({ inputs }: Manifest, families: Iterable<string>): InputDigests => {
  const hashes = new Map(inputs.map(({ role, hash }) => [role, hash]));
  const roles = [...COMMON, ...[...families].map((family) => `feed:osv:${family}`)];
  return Object.fromEntries(roles.map((role) => [role, hashes.get(role) ?? ABSENT_INPUT]));
};

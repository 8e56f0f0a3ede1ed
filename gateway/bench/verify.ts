// Cost of verifying a Sigstore bundle by a trust document, in milliseconds of one processor: with every check, and with
// the library asked too.

import {
  createPlatform,
  DEPLOYMENT,
  PREDICATE_TYPE,
  SUBJECT,
  type TestPlatform,
} from '@landfall/attestation/bundle/bundle.fixture';
import { parseTrust } from '@landfall/attestation/bundle/trust';
import { verifyBundle } from '@landfall/attestation/bundle/verify-bundle';
import { startTimestampAuthority } from '@landfall/attestation/testing/timestamp-authority';
import { needs } from '@landfall/kernel/testing/programs';
import { createReport } from './figure.ts';
import { median } from './statistics.ts';

const ROUNDS = 9;
const CALLS = 200;

const { tell } = createReport('verify');

const expected = { subjectDigest: `sha256:${SUBJECT}`, predicateType: PREDICATE_TYPE, deploymentId: DEPLOYMENT };

/** Median of several rounds; the first one warms up. */
const cost = async (platform: TestPlatform): Promise<number> => {
  const trust = parseTrust(platform.trust);
  const bundle = await platform.bundle();
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let call = 0; call < CALLS; call++)
      if (!verifyBundle(bundle, trust, expected).verified) throw new Error('the bundle does not verify');
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / 1_000 / CALLS);
  }
  return median(rounds.slice(1));
};

tell('a bundle without a timestamp', await cost(createPlatform()), 'ms CPU', { atMost: 2 });

const { skip } = await needs('openssl');
if (skip === undefined) {
  await using times = await startTimestampAuthority();
  const authority = {
    uri: 'https://times.example',
    certificates: times.certificates,
    validFrom: new Date('2026-01-01T00:00:00Z'),
    validUntil: null,
    timestamp: times.timestamp,
  };
  tell('a bundle with a timestamp', await cost(createPlatform({ authority })), 'ms CPU');
}

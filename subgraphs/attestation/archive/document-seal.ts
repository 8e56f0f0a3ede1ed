import type { SigningKeys, SigningPurpose } from '@landfall/kernel/crypto/signing/signer';
import type { Deps, DocumentSeal } from '@landfall/kernel/module';
import { createTrustSource } from '../bundle/trust-source.ts';
import { createTransparencyLog } from '../log/log.ts';
import { logOriginOf } from '../log/origin.ts';
import { createCheckedTimestamps } from '../timestamps/checked-timestamps.ts';
import { createTimestamps } from '../timestamps/statement-timestamps.ts';
import type { TimestampSettings } from '../timestamps/timestamp-settings.ts';

const PURPOSES: readonly SigningPurpose[] = ['attestation', 'log', 'manifest', 'timestamp'];

/**
 * Creates the seal of documents that are no statements: signed by the key of attestations, which outsiders find in the
 * published trust document, and timestamped by the same authority.
 */
export const createDocumentSeal = (
  deps: Pick<Deps, 'database' | 'http' | 'ids' | 'clock' | 'log'>,
  settings: TimestampSettings & { readonly platformDomain: string; readonly signingKeys: SigningKeys },
): DocumentSeal => {
  const { platformDomain, signingKeys: keys } = settings;
  const { log } = createTransparencyLog(deps, { origin: logOriginOf(platformDomain), keys });
  const timestamps = createTimestamps(deps, settings, { keys, platformDomain });
  const { stamp } = createCheckedTimestamps(timestamps);
  const source = createTrustSource({ platformDomain, log, keys, authorities: timestamps.authorities });
  return {
    signer: () => keys.signer('attestation'),
    stamp,
    async trust() {
      // An installation that never logged anything has no log yet to trust.
      if ((await keys.list('log')).length === 0) await keys.signer('log');
      return (await source.documents()).trust;
    },
    keys: async () => (await Promise.all(PURPOSES.map((purpose) => keys.list(purpose)))).flat(),
  };
};

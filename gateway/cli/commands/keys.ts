import { createPublicKey } from 'node:crypto';
import { Fault } from '@landfall/kernel/core/fault';
import type { SigningKeys, SigningPurpose, VerificationKey } from '@landfall/kernel/crypto/signing/signer';
import { CannotCheck, type Command, DATABASE_HELP, parse, UsageError } from '@landfall/kernel/operator/command';
import { openInstallation, publicKeys, readSettings, signingKeys } from './installation.ts';

const PURPOSES: readonly SigningPurpose[] = ['attestation', 'log', 'manifest', 'timestamp'];

const LIST_HELP = `usage: landfall keys list [--pem]

Lists the public keys of this platform, the newest first: what attestations, the log's
checkpoints, scan manifests and timestamps are signed with.

--pem  below each key, the key itself, for a verifier of its own such as that of proof bundles

${DATABASE_HELP}`;

const ROTATE_HELP = `usage: landfall keys rotate attestation|log|manifest|timestamp

Ends the key that signs and begins with a new one; running servers follow at once. What the former key signed still
verifies: it stays in the trust document, with its end. Whoever keeps a trust document of his own fetches it anew.

${DATABASE_HELP} Needs the root key: LANDFALL_SECRET_KEY, or secret.key in the data directory.`;

const day = (time: Date): string => time.toISOString().replace('.000Z', 'Z');

const lineOf = ({ purpose, keyId, algorithm, validFrom, validUntil }: VerificationKey): string =>
  [
    purpose.padEnd(11),
    keyId,
    algorithm.padEnd(17),
    `from ${day(validFrom)}`,
    validUntil ? `until ${day(validUntil)}` : 'signs',
  ].join('  ');

const pemOf = ({ spki }: VerificationKey): string =>
  createPublicKey({ key: spki, format: 'der', type: 'spki' })
    .export({ format: 'pem', type: 'spki' })
    .toString()
    .trimEnd();

export const keysList: Command = {
  help: LIST_HELP,
  run: async (args, terminal) => {
    const { values } = parse(args, { options: { pem: { type: 'boolean', default: false } }, names: [] });
    const settings = await readSettings(terminal);
    await using installation = await openInstallation(settings);
    const keys = publicKeys(installation, settings);
    for (const purpose of PURPOSES)
      for (const key of await keys.list(purpose)) {
        terminal.print(lineOf(key));
        if (values.pem) terminal.print(pemOf(key));
      }
    return 0;
  },
};

/** Refuses a root key that cannot open the existing keys, since no server could open new ones either. */
const refuseForeign = async (keys: SigningKeys): Promise<void> => {
  if ((await keys.list('log')).length === 0) return;
  try {
    await keys.signer('log');
  } catch {
    throw new CannotCheck('The root key that is given opens none of this platform’s keys; give it its own.');
  }
};

export const keysRotate: Command = {
  help: ROTATE_HELP,
  run: async (args, terminal) => {
    const { positionals } = parse(args, { options: {}, names: ['attestation|log|manifest|timestamp'] });
    const purpose = PURPOSES.find((known) => known === positionals[0]);
    if (!purpose)
      throw new UsageError(`'${positionals[0]}' is no purpose of a key: attestation, log, manifest or timestamp.`);
    const settings = await readSettings(terminal);
    await using installation = await openInstallation(settings);
    const keys = await signingKeys(installation, settings);
    await refuseForeign(keys);
    try {
      terminal.print(lineOf(await keys.rotate(purpose)));
    } catch (error) {
      if (error instanceof Fault) throw new CannotCheck(error.message);
      throw error;
    }
    return 0;
  },
};

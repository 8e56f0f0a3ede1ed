import type { Deps } from '@landfall/kernel/module';
import type { Log } from '@landfall/kernel/system/log';
import type { Duty } from '@landfall/kernel/work/schedule';
import type { Signer, SigningState } from './signing/signer.ts';
import { createRequestLog } from './tokens/request-log.ts';

const DAY_MS = 86_400_000;

const RETENTION_MS = 30 * DAY_MS;
/** Remaining life at which a leaf is replaced: a third, in time even after weeks of downtime. */
const LEAF_LEAST_MS = 30 * DAY_MS;
/** Remaining life that raises an alarm: registries refuse everything after expiry. */
const ALARM_MS = 14 * DAY_MS;

export const endOf = ({ leafExpiresAt, authorityExpiresAt }: SigningState): Date =>
  leafExpiresAt < authorityExpiresAt ? leafExpiresAt : authorityExpiresAt;

const alarm = (log: Log, state: SigningState, now: Date): void => {
  const leftMs = endOf(state).getTime() - now.getTime();
  if (leftMs > ALARM_MS) return;
  const daysLeft = Math.floor(leftMs / DAY_MS);
  const about = { keyId: state.keyId, daysLeft, expiresAt: endOf(state).toISOString() };
  const todo = state.rotates
    ? 'its authority ends, and registries must be given another one'
    : 'renew the certificates in RegistryToken:Signing:Key and start again';
  if (leftMs <= 0)
    log.error(about, `registries refuse every token: the certificates that verify them have expired; ${todo}`);
  else log.warn(about, `the certificates of registry tokens expire soon; ${todo}`);
};

type HousekeepingDeps = Pick<Deps, 'database' | 'clock' | 'log'> & { readonly signer: Signer };

/** Deletes old requests, renews the leaf, and logs an alarm before a certificate expires that it cannot renew. */
export const createHousekeeping = ({ database, signer, clock, log }: HousekeepingDeps): Duty => ({
  name: 'registry-token.housekeeping',
  pattern: '41 * * * *',
  async run() {
    await createRequestLog(database).prune(RETENTION_MS);
    await signer.keepFresh(LEAF_LEAST_MS);
    alarm(log, await signer.state(), clock.now());
  },
});

import type { Database } from '@landfall/kernel/db/database';
import type { Duty } from '@landfall/kernel/work/schedule';
import { prune as pruneCodes } from './authorization/codes.store.ts';
import { prune as pruneDevices } from './authorization/device-codes.store.ts';
import { prune as prunePushedRequests } from './authorization/pushed-requests.store.ts';
import { pruneChallenges } from './factors/passkeys.store.ts';
import type { Keys } from './keys/keys.ts';
import type { AuthoritySettings } from './protocol/settings.ts';
import { prune as pruneExchanges } from './revocation/exchanged-tokens.store.ts';
import { prune as pruneSessions } from './sign-in/sessions.store.ts';
import { pruneAccessTokens, prune as pruneFamilies } from './tokens/families.store.ts';
import { prune as pruneLinks } from './users/account-links.store.ts';
import { prune as pruneAttempts } from './users/back-off.store.ts';

const DAY_MS = 86_400_000;

/** Signing period of a key. */
const KEY_MS = 90 * DAY_MS;

/** Deletes expired rows and rotates the signing keys, once an hour. */
export const createHousekeeping = (
  { database, keys }: { readonly database: Database; readonly keys: Keys },
  settings: AuthoritySettings,
): Duty => ({
  name: 'authority.housekeeping',
  pattern: '23 * * * *',
  async run() {
    await database.system.write(async (tx) => {
      await pruneSessions(tx);
      await pruneCodes(tx, settings.accessTokenMs + DAY_MS);
      await pruneDevices(tx, settings.accessTokenMs + DAY_MS);
      await pruneExchanges(tx);
      await pruneAccessTokens(tx);
      await pruneFamilies(tx);
      await prunePushedRequests(tx);
      await pruneLinks(tx);
      await pruneChallenges(tx);
      await pruneAttempts(tx);
    });
    await keys.keepFresh({ afterMs: KEY_MS, keptMs: settings.accessTokenMs + DAY_MS });
  },
});

import type { Database } from '@landfall/kernel/db/database';
import type { Duty } from '@landfall/kernel/work/schedule';
import { pruneDevices } from './authorization/device-authorization.ts';
import { prunePushedRequests } from './authorization/pushed-requests.ts';
import { pruneChallenges } from './factors/passkeys.ts';
import type { Keys } from './keys/keys.ts';
import type { AuthoritySettings } from './protocol/settings.ts';
import { pruneExchanges } from './revocation/revocation.ts';
import { pruneSessions } from './sign-in/sessions.ts';
import { pruneCodes } from './tokens/code-grant.ts';
import { pruneAccessTokens, pruneFamilies } from './tokens/families.ts';
import { pruneLinks } from './users/account-links.ts';
import { pruneAttempts } from './users/back-off.ts';

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

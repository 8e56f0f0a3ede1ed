import { type Check, ifTable, NOT_YET, pass, warn } from '@landfall/kernel/operator/check';
import * as store from './checks.store.ts';

const WARN_DAYS = 365;

const tokenKeys: Check = {
  id: 'token-keys',
  title: 'The key that signs access tokens is not old',
  meaning:
    'Who has the private key can make tokens for anybody. Its age bounds for how long a key that leaked goes unnoticed.',
  remedy:
    'Turn the key ring in the console (Settings, Keys); tokens that were issued before stay good until they expire.',
  inspect: ifTable('authority.signing_keys', async (query) => {
    const age = await store.tokenKeyAge(query);
    if (!age) return NOT_YET;
    const summary = `it has signed for ${Math.floor(age.days)} days`;
    return age.days > WARN_DAYS ? warn(summary) : pass(summary);
  }),
};

export const authorityChecks: readonly Check[] = [tokenKeys];

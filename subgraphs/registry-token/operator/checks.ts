import { type Check, fail, ifTable, NOT_YET, pass, warn } from '@landfall/kernel/operator/check';
import * as store from './checks.store.ts';

const WARN_DAYS = 14;

const registryCertificate: Check = {
  id: 'registry-certificate',
  title: 'The certificates of registry tokens are valid for two weeks or more',
  meaning:
    'Registries verify tokens by its certificates. Once one has ended, they refuse every token, and nothing is pulled.',
  remedy:
    'Its leaf is renewed by itself; for a new authority, or a key of your own in `RegistryToken:Signing:Key`, give the registries the output of `npm run landfall -- registry ca`.',
  inspect: ifTable('registry.certificates', async (query) => {
    const remaining = await store.registryCertificateLeft(query);
    if (!remaining) return NOT_YET;
    const summary = `${Math.floor(remaining.days)} days left`;
    return remaining.days < 0 ? fail('it has ended') : remaining.days < WARN_DAYS ? warn(summary) : pass(summary);
  }),
};

export const registryTokenChecks: readonly Check[] = [registryCertificate];

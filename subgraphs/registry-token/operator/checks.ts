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
    const left = await store.registryCertificateLeft(query);
    if (!left) return NOT_YET;
    const says = `${Math.floor(left.days)} days left`;
    return left.days < 0 ? fail('it has ended') : left.days < WARN_DAYS ? warn(says) : pass(says);
  }),
};

export const registryTokenChecks: readonly Check[] = [registryCertificate];

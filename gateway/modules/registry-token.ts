import type { Authority } from '@landfall/authority';
import { createDpop } from '@landfall/kernel/identity/dpop';
import { createKeys, issuerKeySet, type KeySet, publishedKeySet } from '@landfall/kernel/identity/keys';
import type { Deps } from '@landfall/kernel/module';
import type { Telemetry } from '@landfall/kernel/system/telemetry';
import {
  createRegistryToken,
  type RegistryTokenSettings,
  type RegistryTokens,
  registryTokenSettingsOf,
} from '@landfall/registry-token';
import { publicUrls } from '../settings/kernel-settings.ts';
import { type GatewaySettings, moduleUrls } from '../settings/settings.ts';

/** @throws Error that names the setting and says what is wrong with it */
export const readRegistryTokenSettings = (settings: GatewaySettings): RegistryTokenSettings =>
  registryTokenSettingsOf(settings, { ...publicUrls(settings), audience: settings.audience });

/** Where the keys of the believed issuer are: in this process, in the authority's role, or at another issuer. */
const keySetOf = (
  { http, ids }: Deps,
  settings: GatewaySettings,
  issuer: string,
  authority: Authority | undefined,
): KeySet => {
  const { authUrl } = publicUrls(settings);
  const { registryTokenMetadataUrl: metadataUrl } = settings;
  if (issuer !== authUrl || metadataUrl !== undefined) return issuerKeySet(http, { issuer, metadataUrl }, ids.uuid);
  if (authority) return async () => (await authority.keys.jwks()).keys;
  return publishedKeySet(http, moduleUrls(settings).get('authority') ?? authUrl, ids.uuid);
};

export const registryTokensOf = (
  deps: Deps,
  settings: GatewaySettings,
  {
    authority,
    telemetry,
  }: { readonly authority: Authority | undefined; readonly telemetry?: Pick<Telemetry, 'meter'> | undefined },
): RegistryTokens => {
  const own = readRegistryTokenSettings(settings);
  return createRegistryToken(deps, own, {
    keys: createKeys(keySetOf(deps, settings, own.authorityIssuer, authority), deps),
    dpop: createDpop(deps, { requiresNonce: settings.requiresDpopNonce }),
    meter: telemetry?.meter('registry-token'),
  });
};

import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { RegistryTokenSettings } from '../settings/settings.ts';
import type { Signer } from '../signing/signer.ts';
import { createRequestLog } from '../tokens/request-log.ts';

/** `auth` of a registry's configuration, for distribution 2.8 and 3.x alike. */
const registryConfiguration = ({ realm, issuer }: RegistryTokenSettings, service: string): string =>
  [
    'auth:',
    '  token:',
    `    realm: ${JSON.stringify(realm)}`,
    `    service: ${JSON.stringify(service)}`,
    `    issuer: ${JSON.stringify(issuer)}`,
    '    # The CA, in a file that the registry can read.',
    '    rootcertbundle: /etc/docker/registry/landfall-ca.pem',
    '    # distribution 3.x only; leave it out for 2.8.',
    '    signingalgorithms: [ES256]',
    '',
  ].join('\n');

export const createRegistryConfiguration = (
  { operation, database }: Pick<Deps, 'operation' | 'database'>,
  signer: Signer,
  settings: RegistryTokenSettings,
) => {
  const { issuer, realm, lifetimeMs, rules } = settings;
  const requestLog = createRequestLog(database);
  return {
    read: operation({
      name: 'registrySigning.read',
      cost: 0,
      kind: 'read',
      scope: ['authority:admin'],
      input: Type.Object({}),
      isDetached: true,
      async run(caller) {
        const { keyId, rootCertificates, leafExpiresAt } = await signer.state();
        const services = [...rules.services];
        // Licences are confidential: a tenant sees its own only.
        const revokedLicenses = await requestLog.licensesAmong(caller.tenant, [...rules.revokedLicenses]);
        return {
          issuer,
          realm,
          rootCertificates,
          keyId,
          leafExpiresAt,
          lifetimeSeconds: Math.floor(lifetimeMs / 1000),
          services,
          revokedLicenses,
          configuration: registryConfiguration(settings, services[0] ?? 'registry.example'),
        };
      },
    }),
  };
};

export type RegistryConfiguration = ReturnType<typeof createRegistryConfiguration>;

/** Signing setup as administrators see it, with the registry's configuration. */
export type SigningView = Awaited<ReturnType<RegistryConfiguration['read']>>;

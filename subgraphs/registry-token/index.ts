import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { createDpop, type Dpop } from '@landfall/kernel/identity/dpop';
import { createKeys, issuerKeySet, type Keys } from '@landfall/kernel/identity/keys';
import { type Deps, defineModule } from '@landfall/kernel/module';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { createSchedule } from '@landfall/kernel/work/schedule';
import { createAccess } from './access/access.ts';
import { createRegistryConfiguration } from './configuration/registry-configuration.ts';
import type { Context } from './context.ts';
import { createHousekeeping, endOf } from './housekeeping.ts';
import { registryTokenCommands } from './operator/commands.ts';
import { resolvers } from './resolvers.ts';
import { type RegistryTokenSettings, registryTokenSettings, registryTokenSettingsOf } from './settings/settings.ts';
import { createSigner, type Signer } from './signing/signer.ts';
import { createAccessTokens } from './tokens/access-token.ts';
import { type Counters, createIssue, type IssuedToken } from './tokens/issue.ts';
import { createRequestLog } from './tokens/request-log.ts';
import type { TokenRequest } from './tokens/token-request.ts';
import { createTokens } from './tokens/tokens.ts';

export type { IssuedToken, RegistryTokenSettings, TokenRequest };

interface RegistryTokenPorts {
  /** The public keys of the authority whose access tokens are believed. */
  readonly keys: Keys;
  readonly dpop: Dpop;
  readonly meter?: Meter | undefined;
}

const WARN_MS = 14 * 86_400_000;

const countersOf = (meter: Meter | undefined): Counters => {
  const issued = meter?.counter('registry_token_issued_total', { description: 'Registry tokens issued.' });
  const rejected = meter?.counter('registry_token_rejected_total', { description: 'Requests refused, by reason.' });
  return { issued: () => issued?.(), rejected: (reason) => rejected?.({ reason }) };
};

/** Measures the seconds until the signing certificates expire. */
const measureExpiry = (meter: Meter | undefined, signer: Signer, { clock }: Deps): void =>
  meter?.gauge(
    'registry_token_signing_expiry',
    { description: 'Time until the certificates of registry tokens expire.', unit: 's' },
    () => {
      const { latest } = signer;
      return latest ? [[(endOf(latest).getTime() - clock.now().getTime()) / 1_000]] : [];
    },
  );

/** Creates the registry token service (spec 2.2, 4.2). */
export const createRegistryToken = (
  deps: Deps,
  settings: RegistryTokenSettings,
  { keys, dpop, meter }: RegistryTokenPorts,
) => {
  const { database, clock, ids, log } = deps;
  const signer = createSigner(deps, settings);
  const access = createAccess(deps, settings.rules);
  const signing = createRegistryConfiguration(deps, signer, settings);
  const tokens = createTokens(deps);
  const housekeeping = createHousekeeping({ database, signer, clock, log });
  measureExpiry(meter, signer, deps);

  return {
    name: 'registry-token',
    operations: [access.plans, access.simulate, tokens.list, signing.read],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({ caller, access, signing, tokens }),
    workers: [createSchedule(deps, 'registry-token.housekeeping', [housekeeping])],
    issue: createIssue(
      {
        database,
        clock,
        ids,
        signer,
        dpop,
        accessTokens: createAccessTokens({ keys, clock }, settings),
        records: createRequestLog(database),
        counters: countersOf(meter),
      },
      settings,
    ),
    signer,
    /** Hourly task, run by one process at a time. */
    housekeeping,
    /** Warnings for the operator. */
    async notes(): Promise<readonly string[]> {
      const state = await signer.state();
      const end = endOf(state);
      if (end.getTime() - clock.now().getTime() > WARN_MS) return [];
      return [`the certificates of registry tokens expire at ${end.toISOString()}`];
    },
  };
};

export type RegistryTokens = ReturnType<typeof createRegistryToken>;

export const registryTokenModule = defineModule({
  name: 'registry-token',
  settings: registryTokenSettings,
  variablePrefix: 'REGISTRY_TOKEN_',
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  commands: registryTokenCommands,
  checks: async () => (await import('./operator/checks.ts')).registryTokenChecks,
  demo: async () => (await import('./demo/chapter.ts')).registryTokenChapter,
  seed: async () => (await import('./testing/seed.ts')).registryTokenSeed,
  configure: (input, platform) => {
    const settings = registryTokenSettingsOf(input, platform);
    const { authorityIssuer: issuer } = settings;
    const { registryTokenMetadataUrl: metadataUrl } = input;
    const isOwn = issuer === platform.authUrl && metadataUrl === undefined;
    return (deps, { authorityKeys, meter }) =>
      createRegistryToken(deps, settings, {
        keys: createKeys(isOwn ? authorityKeys : issuerKeySet(deps.http, { issuer, metadataUrl }, deps.ids.uuid), deps),
        dpop: createDpop(deps, { requiresNonce: platform.requiresDpopNonce }),
        meter,
      });
  },
});

import { type Authority, createAuthority } from '@landfall/authority';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import type { Deps, Module } from '@landfall/kernel/module';
import { createTxtResolver } from '@landfall/kernel/system/dns';
import type { Telemetry } from '@landfall/kernel/system/telemetry';
import { createOrchestrator, type Orchestrator } from '@landfall/orchestrator';
import type { RegistryTokens } from '@landfall/registry-token';
import type { Search } from '@landfall/search';
import packageJson from '../package.json' with { type: 'json' };
import { guardOf } from '../process/host.ts';
import { publicUrls } from '../settings/kernel-settings.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import { registryTokensOf } from './registry-token.ts';
import { searchOf } from './search.ts';

/** Every module there is, in composition order. */
export const MODULES = ['authority', 'registry-token', 'search', 'orchestrator'] as const;

/** The modules that this process hosts. */
export interface Hosted {
  readonly authority: Authority | undefined;
  readonly registryTokens: RegistryTokens | undefined;
  readonly search: Search | undefined;
  readonly orchestrator: Orchestrator | undefined;
  readonly all: readonly Module[];
}

const authorityOf = (deps: Deps, settings: GatewaySettings): Authority =>
  createAuthority(
    deps,
    {
      issuer: publicUrls(settings).authUrl,
      baseUrl: publicUrls(settings).baseUrl,
      audience: settings.audience,
      accessTokenMs: settings.accessTokenMs,
      codeMs: settings.codeMs,
      deviceCodeMs: settings.deviceCodeMs,
      devicePollMs: settings.devicePollMs,
      requiresDpopNonce: settings.requiresDpopNonce,
      hasMutualTls: settings.tlsCertificateFile !== undefined,
      refreshIdleMs: settings.refreshIdleMs,
      sessionMs: settings.sessionMs,
      version: packageJson.version,
    },
    { resolveTxt: createTxtResolver({ egress: guardOf(settings) }) },
  );

/** What the modules of a process stand in. */
export interface Surroundings {
  readonly telemetry?: Pick<Telemetry, 'meter'> | undefined;
  /** The name of this process's role: what others know it by. */
  readonly role?: string | undefined;
}

/** Makes the named modules; nothing is asked of the database yet. */
export const createModules = (
  names: readonly string[],
  deps: Deps,
  settings: GatewaySettings,
  { telemetry, role = 'all-in-one' }: Surroundings = {},
): Hosted => {
  const authority = names.includes('authority') ? authorityOf(deps, settings) : undefined;
  const registryTokens = names.includes('registry-token')
    ? registryTokensOf(deps, settings, { authority, telemetry })
    : undefined;
  const orchestrator = names.includes('orchestrator')
    ? createOrchestrator(deps, {
        ...settings,
        agentUrl: publicUrls(settings).agentUrl,
        signingKeys: createSigningKeys(deps, settings),
        ...(telemetry && { meter: telemetry.meter('orchestrator') }),
      })
    : undefined;
  const search = names.includes('search')
    ? searchOf(deps, settings, { telemetry, role, hosted: () => hosted })
    : undefined;
  const all = [authority, registryTokens, search, orchestrator].filter((module) => module !== undefined);
  const hosted: Hosted = { authority, registryTokens, search, orchestrator, all };
  return hosted;
};

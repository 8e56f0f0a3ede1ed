import { kitEvidence, syncEvidence } from '@landfall/airgap';
import { createDocumentSeal } from '@landfall/attestation/archive/document-seal';
import { authorityModule, peopleDirectory } from '@landfall/authority';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { withFeature } from '@landfall/kernel/http/client';
import { type KeySet, publishedKeySet } from '@landfall/kernel/identity/keys';
import type { Deprecation, Deps, Module, ModuleDescriptor, ModulePorts } from '@landfall/kernel/module';
import { createConnect } from '@landfall/kernel/system/connect';
import { createTxtResolver } from '@landfall/kernel/system/dns';
import { settingsOf } from '@landfall/kernel/system/settings';
import type { Telemetry } from '@landfall/kernel/system/telemetry';
import type { Tracing } from '@landfall/kernel/system/tracing';
import {
  approverDirectory,
  createReleaseTransfer,
  orchestratorSettings,
  productDirectory,
  releaseDirectory,
  statementEvidence,
} from '@landfall/orchestrator';
import { routesOf } from '@landfall/rest-compat/modules';
import { publishedRoutes } from '@landfall/rest-compat/published';
import { contentDates, createScanGate, createVexImporter, feedImporter, scannerEvidence } from '@landfall/scanner';
import { readKnowledge } from '../knowledge/knowledge.ts';
import { ownServices } from '../process/dependencies.ts';
import { publicUrls } from '../settings/process-settings.ts';
import { type GatewaySettings, moduleUrls, platformOf } from '../settings/settings.ts';
import { createDestinations } from './destinations.ts';
import { localUpstream, remoteUpstream } from './upstream.ts';

interface ProcessOptions {
  readonly telemetry?: Pick<Telemetry, 'meter'> | undefined;
  readonly tracing?: Pick<Tracing, 'tracer'> | undefined;
  /** Name of this process's role, by which other roles know it. */
  readonly role?: string | undefined;
}

/** Address of the authority for calls inside the installation. */
export const authorityOrigin = (settings: GatewaySettings): string =>
  moduleUrls(settings).get('authority') ?? publicUrls(settings).authUrl;

/** Public keys of the authority: directly if it is in this process, otherwise as published. */
export const authorityKeys = (
  { http, ids }: Pick<Deps, 'http' | 'ids'>,
  settings: GatewaySettings,
  modules: readonly Module[],
): KeySet => {
  const published = publishedKeySet(http, authorityOrigin(settings), ids.uuid);
  return async () => {
    const authority = authorityModule.find(modules);
    return authority ? (await authority.keys.jwks()).keys : published();
  };
};

/** Published routes that end. */
const readDeprecations = (): readonly Deprecation[] =>
  publishedRoutes().flatMap(({ method, path, sunset, successor }) =>
    sunset === undefined ? [] : [{ api: `${method} ${path}`, sunset: new Date(sunset), successor }],
  );

/** Creates modules from their descriptors, without database access. */
export const createModules = (
  descriptors: readonly ModuleDescriptor[],
  deps: Deps,
  settings: GatewaySettings,
  { telemetry, tracing, role = 'all-in-one' }: ProcessOptions = {},
): readonly Module[] => {
  const modules: Module[] = [];
  const platform = platformOf(settings);
  const signingKeys = createSigningKeys(deps, settings);
  const ports: Omit<ModulePorts, 'connect'> = {
    signingKeys,
    authorityKeys: authorityKeys(deps, settings, modules),
    resolveTxt: createTxtResolver(deps),
    upstream: role.startsWith('module:')
      ? remoteUpstream(deps, settings, role)
      : localUpstream(() => routesOf(modules)),
    products: productDirectory,
    people: peopleDirectory,
    approvers: approverDirectory,
    evidence: new Map([...statementEvidence, ...scannerEvidence, ...syncEvidence, ...kitEvidence]),
    releases: releaseDirectory,
    documentSeal: () =>
      createDocumentSeal(deps, {
        ...settingsOf(orchestratorSettings, settings),
        platformDomain: platform.platformDomain,
        signingKeys,
      }),
    feeds: feedImporter,
    vex: createVexImporter(deps),
    scanGate: createScanGate(deps, productDirectory),
    releaseTransfer: createReleaseTransfer(deps),
    destinations: createDestinations(settings),
    ownServices: ownServices(settings),
    contentDates,
    knowledge: readKnowledge,
    deprecations: readDeprecations,
  };
  for (const descriptor of descriptors)
    modules.push(
      descriptor.configure(settings, platform)(
        { ...deps, http: withFeature(deps.http, descriptor.name) },
        {
          ...ports,
          connect: createConnect(deps.egress, descriptor.name),
          meter: telemetry?.meter(descriptor.name),
          tracer: tracing?.tracer(descriptor.name),
        },
      ),
    );
  return modules;
};

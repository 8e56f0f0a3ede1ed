import { airgapModule } from '@landfall/airgap';
import { artifactsModule } from '@landfall/artifacts';
import { authorityModule } from '@landfall/authority';
import type { Module, ModuleDescriptor } from '@landfall/kernel/module';
import type { Route } from '@landfall/kernel/routes/route';
import { notifierModule } from '@landfall/notifier';
import { orchestratorModule } from '@landfall/orchestrator';
import { registryTokenModule } from '@landfall/registry-token';
import { scannerModule } from '@landfall/scanner';
import { searchModule } from '@landfall/search';
import { airgapRoutes } from './routes/airgap.ts';
import { airgapTransferRoutes } from './routes/airgap-transfers.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { attestationRoutes } from './routes/attestations.ts';
import { authorityRoutes } from './routes/authority.ts';
import { effectivePolicyRoutes } from './routes/effective-policies.ts';
import { evidenceExportRoutes } from './routes/evidence-exports.ts';
import { notifierRoutes } from './routes/notifier.ts';
import { orchestratorRoutes } from './routes/orchestrator.ts';
import { registryTokenRoutes } from './routes/registry-token.ts';
import { scannerRoutes } from './routes/scanner.ts';
import { scannerProofRoutes } from './routes/scanner-proofs.ts';
import { scannerScoreRoutes } from './routes/scanner-score.ts';
import { scimRoutes } from './routes/scim.ts';
import { searchRoutes } from './routes/search.ts';
import { searchIndexRoutes } from './routes/search-index.ts';
import { searchLegacyRoutes } from './routes/search-legacy.ts';
import { searchQualityRoutes } from './routes/search-quality.ts';
import { searchSynthesisRoutes } from './routes/search-synthesis.ts';
import { tlogRoutes } from './routes/tlog.ts';
import { unsubscribeRoutes } from './routes/unsubscribe.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** A module of the product with its REST routes. */
export interface InstalledModule extends ModuleDescriptor {
  /** Its routes, where it is among these modules. */
  routes(modules: readonly Module[]): readonly Route[];
}

/** Joins a module and its tables of routes, in the order of the specification. */
export const install = <M extends Module>(
  descriptor: ModuleDescriptor<M>,
  ...tables: readonly ((module: M) => readonly Route[])[]
): InstalledModule => ({
  ...descriptor,
  routes(modules) {
    const module = descriptor.find(modules);
    return module ? tables.flatMap((table) => table(module)) : [];
  },
});

/** Every module of the product, in composition order. A new module adds its line here. */
export const MODULES: readonly InstalledModule[] = [
  install(authorityModule, authorityRoutes, scimRoutes),
  install(registryTokenModule, registryTokenRoutes),
  install(scannerModule, scannerRoutes, scannerScoreRoutes, scannerProofRoutes),
  install(artifactsModule, artifactRoutes, evidenceExportRoutes),
  install(airgapModule, airgapRoutes, airgapTransferRoutes),
  install(
    searchModule,
    searchRoutes,
    searchSynthesisRoutes,
    searchIndexRoutes,
    searchQualityRoutes,
    searchLegacyRoutes,
  ),
  install(notifierModule, (notifier) => [...notifierRoutes(notifier), ...unsubscribeRoutes(notifier)]),
  install(orchestratorModule, orchestratorRoutes, effectivePolicyRoutes, attestationRoutes, tlogRoutes, webhookRoutes),
];

/** The REST routes of these modules. */
export const routesOf = (
  modules: readonly Module[],
  installed: readonly InstalledModule[] = MODULES,
): readonly Route[] => installed.flatMap((module) => module.routes(modules));

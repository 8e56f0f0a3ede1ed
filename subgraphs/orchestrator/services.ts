import { createTrustSource } from '@landfall/attestation/bundle/trust-source';
import { logOriginOf } from '@landfall/attestation/log/origin';
import { createWitnessedLog } from '@landfall/attestation/log/witnessed-log';
import { createAttestor } from '@landfall/attestation/statements/attestor';
import { createExternalLog, destinationOf, type RekorSettings } from '@landfall/attestation/statements/external-log';
import { createCheckedTimestamps } from '@landfall/attestation/timestamps/checked-timestamps';
import { createTimestamps } from '@landfall/attestation/timestamps/statement-timestamps';
import type { TimestampSettings } from '@landfall/attestation/timestamps/timestamp-settings';
import type { Worker } from '@landfall/kernel/core/worker';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { Deps } from '@landfall/kernel/module';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { createSchedule } from '@landfall/kernel/work/schedule';
import { createEnvironments } from './catalogue/environments/environments.ts';
import { createForges } from './catalogue/integrations/forges.ts';
import { createIntegrations } from './catalogue/integrations/integrations.ts';
import { createMetrics } from './catalogue/integrations/metrics.ts';
import { createRegistries } from './catalogue/integrations/registries.ts';
import { createProductImport } from './catalogue/products/product-import.ts';
import { createProducts } from './catalogue/products/products.ts';
import { createReleases } from './catalogue/releases/releases.ts';
import { createProviders } from './catalogue/secrets/providers.ts';
import { createSecretSource } from './catalogue/secrets/secret-source.ts';
import { createSecretStore } from './catalogue/secrets/secrets.ts';
import { createVaults } from './catalogue/secrets/vaults.ts';
import { createTargets } from './catalogue/targets/targets.ts';
import { createVariableSets } from './catalogue/variables/variable-sets.ts';
import { createComparisons } from './comparison/comparisons.ts';
import { createTicketRules } from './comparison/ticket-rules.ts';
import { createPromotions } from './deciding/promotions/promotions.ts';
import { createAssembler } from './deciding/sources/assembler.ts';
import { createPoller } from './deciding/sources/poller.ts';
import { createProductListener } from './deciding/sources/product-listener.ts';
import { createSources } from './deciding/sources/sources.ts';
import { createWebhooks } from './deciding/sources/webhooks.ts';
import { createCustody } from './evidence/custody/custody.ts';
import { createAdmission, createImageAdmission } from './evidence/images/image-admission.ts';
import { createImageStatements, scheduleReading } from './evidence/images/image-statements.ts';
import { createTrustedSigners } from './evidence/images/trusted-signers.ts';
import { createStatementOutbox } from './evidence/statements/attestable-events.ts';
import { createAttestations } from './evidence/statements/attestations.ts';
import { publishAttestedDeployment } from './evidence/statements/attested-deployment.ts';
import { createImageScans } from './evidence/statements/image-scans.ts';
import { createLandingObservations } from './evidence/statements/landing-observations.ts';
import { createLogOperations } from './evidence/statements/log-operations.ts';
import { createPackages } from './evidence/statements/packages.ts';
import { createVerifications } from './evidence/statements/verifications.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createDelivery } from './monitoring/delivery/delivery.ts';
import { createEstate } from './monitoring/estate/estate.ts';
import { createPolicies } from './monitoring/policies/policies.ts';
import { createPortfolio } from './monitoring/portfolio/portfolio.ts';
import { createAnalyst } from './running/analysis/analyst.ts';
import { deploymentHistory } from './running/deployments/deployment-history.ts';
import { createDeployments } from './running/deployments.ts';
import { createFleet } from './running/fleet/fleet.ts';
import { createLauncher } from './running/launch/launch.ts';
import { createLogs } from './running/log/logs.ts';
import { createPreflight } from './running/preflight/preflight.ts';
import { createRetry } from './running/retry/retry.ts';
import { createRollback } from './running/rollback/rollback.ts';
import { createAdvance } from './running/rollout/advance.ts';
import { createControls } from './running/rollout/controls.ts';
import { createDeploymentRunner } from './running/rollout/deployment-runner.ts';
import { createTaskListener } from './running/rollout/task-listener.ts';
import { taskQueue } from './running/tasks/tasks.ts';

export interface OrchestratorSettings extends RekorSettings, TimestampSettings {
  /** Trust domain of agents' SPIFFE ids. */
  readonly platformDomain: string;
  /** Address of the agents' listener, returned with each registration token. */
  readonly agentUrl: string;
  /** Retention of a deployment's log after its last line, in days. */
  readonly deploymentLogDays: number;
  readonly signingKeys: SigningKeys;
  /** Witnesses that cosign the transparency log's checkpoints, each `<verifier key>=<url>`. */
  readonly logWitnesses?: readonly string[];
  /** Meter for the module's metrics; undefined when metrics are off. */
  readonly meter?: Meter;
}

export type Services = ReturnType<typeof createModuleParts>['services'];

/** Creates the parts of the module: services with their operations, the agents' listener, and the workers. */
export const createModuleParts = (deps: Deps, settings: OrchestratorSettings) => {
  const { platformDomain, agentUrl, deploymentLogDays, signingKeys: keys } = settings;
  const registries = createRegistries(deps);
  const metrics = createMetrics(deps);
  const forges = createForges(deps);
  const vaults = createVaults(deps);
  const secrets = createSecretSource({ ...deps, vaults });
  const outbox = createStatementOutbox(deps, platformDomain);
  const preflight = createPreflight({ database: deps.database, registries, secrets });
  const launching = createLauncher({ ids: deps.ids, statements: outbox });
  const advance = createAdvance({ ids: deps.ids, queue: taskQueue, statements: outbox });
  const listener = createTaskListener(advance);
  const fleet = createFleet(deps, { registries, secrets, listener, trustDomain: platformDomain, agentUrl });
  const analyst = createAnalyst({ ...deps, metrics });
  const runner = createDeploymentRunner({ ...deps, advance, preflight, analyst });
  const logOrigin = logOriginOf(platformDomain);
  const transparency = createWitnessedLog(deps, {
    origin: logOrigin,
    keys,
    witnesses: settings.logWitnesses,
  });
  const { log: tlog } = transparency;
  const timestamps = createTimestamps(deps, settings, { keys, platformDomain });
  const destination = destinationOf(settings);
  const external = destination && createExternalLog({ ...deps, meter: settings.meter }, destination);
  const attestor = createAttestor({
    ...deps,
    keys,
    tlog,
    stamping: createCheckedTimestamps(timestamps),
    meter: settings.meter,
    async onAttested(tx, caller, attestation) {
      await publishAttestedDeployment(tx, caller, attestation);
      await external?.enqueue(tx, caller, attestation);
    },
  });
  const observing = createLandingObservations(deps, outbox);
  const imageScans = createImageScans(deps, outbox);
  const trust = createTrustSource({ platformDomain, log: tlog, keys, authorities: timestamps.authorities });
  const imageStatements = createImageStatements({ ...deps, registries });
  const releaseListener = { onReady: outbox.ready, onFinalized: scheduleReading };
  const webhooks = createWebhooks(deps);
  const productImport = createProductImport(deps);
  const poller = createPoller({ ...deps, registries });
  const assembler = createAssembler({ ...deps, registries, listener: releaseListener, history: deploymentHistory });
  const housekeeping = createHousekeeping(deps, { deploymentLogDays });
  const workers: readonly Worker[] = [
    runner.worker,
    fleet.watch.worker,
    productImport.worker,
    poller.worker,
    assembler.worker,
    imageStatements.worker,
    attestor.worker,
    observing.worker,
    imageScans.worker,
    ...transparency.workers,
    ...(external ? [external.worker] : []),
    createSchedule(deps, 'orchestrator.housekeeping', [housekeeping]),
  ];
  return {
    /** Services of the module by noun; each contains operations only. */
    services: {
      environments: createEnvironments(deps),
      products: createProducts(deps, createProductListener(deps)),
      targets: createTargets(deps),
      integrations: createIntegrations(deps, { registry: registries.ping, metrics: metrics.ping, scm: forges.ping }),
      secrets: createSecretStore(deps),
      secretProviders: createProviders(deps, vaults),
      variableSets: createVariableSets(deps),
      releases: createReleases(deps, registries, releaseListener),
      promotions: createPromotions(deps, outbox, deploymentHistory),
      sources: { ...createSources(deps), ...webhooks.operations },
      deployments: {
        ...createDeployments({ ...deps, preflight, launching }),
        ...createControls({ ...deps, advance }),
        ...createRollback({ ...deps, preflight, launching }),
        ...createRetry({ ...deps, preflight, launching }),
      },
      logs: createLogs(deps),
      agents: fleet.operations,
      estate: createEstate(deps),
      portfolio: createPortfolio(deps),
      delivery: createDelivery(deps),
      custody: createCustody(deps),
      comparisons: createComparisons({ ...deps, forges }),
      ticketRules: createTicketRules(deps),
      verifications: createVerifications({ ...deps, log: tlog, trust }),
      packages: createPackages({ ...deps, trust }),
      attestations: createAttestations({ ...deps, trust }),
      transparencyLogs: createLogOperations({
        ...deps,
        transparencyLog: tlog,
        origin: logOrigin,
        witnesses: transparency.witnesses,
      }),
      trustedSigners: createTrustedSigners(deps),
      policies: createPolicies(deps),
      imageAdmission: createImageAdmission(deps, createAdmission({ ...deps, registries })),
      imageStatements: imageStatements.operations,
    },
    agentOperations: fleet.agentOperations,
    /** Transparency log, for those who append to it: the attestor here, and the sealer of events in the gateway. */
    transparencyLog: tlog,
    logReading: transparency.reading,
    /** Receiver of registries' webhooks, which prove a source's secret. */
    receiveWebhook: webhooks.receive,
    agentListener: fleet.agentListener,
    trust,
    workers,
    /** Runs each worker once, for tests that control the clock. */
    runOnce: {
      runner: runner.turn,
      watch: fleet.watch.turn,
      productImport: productImport.turn,
      sourcePoller: poller.turn,
      releaseAssembler: assembler.turn,
      imageStatements: imageStatements.turn,
      attestor: attestor.turn,
      observing: observing.turn,
      imageScans: imageScans.turn,
      external: async () => (await external?.turn()) ?? 0,
      housekeeping: housekeeping.run,
    },
  };
};

import type { Deps, Worker } from '@landfall/kernel/module';
import { createSchedule } from '@landfall/kernel/schedule';
import type { SigningKeys } from '@landfall/kernel/signing/signer';
import { createAdmission, createImageAdmission } from './admission/image-admission.ts';
import { createImageStatements } from './admission/image-statements.ts';
import { createTrustedSigners } from './admission/trusted-signers.ts';
import type { AgentDoor } from './agent-door.ts';
import { agentDirectory } from './agents/agents.ts';
import { createFleet } from './agents/fleet.ts';
import { taskQueue } from './agents/tasks.ts';
import { createAnalyst } from './analysis/analyst.ts';
import { createDeeds } from './attestation/deeds.ts';
import { createCustody } from './custody/custody.ts';
import { createDeployments } from './deployments/deployments.ts';
import { createLaunching } from './deployments/launching.ts';
import { createLogs } from './deployments/log/logs.ts';
import { createPreflight } from './deployments/preflight/preflight.ts';
import { createAdvance } from './deployments/run/advance.ts';
import { createControls } from './deployments/run/controls.ts';
import { createRunner } from './deployments/run/runner.ts';
import { createTaskListener } from './deployments/run/task-listener.ts';
import { createRetry } from './deployments/undo/retry.ts';
import { createRollback } from './deployments/undo/rollback.ts';
import { createEnvironments } from './environments/environments.ts';
import { createEstate } from './estate/estate.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createIntegrations } from './integrations/integrations.ts';
import { createMetrics } from './integrations/metrics.ts';
import { createRegistries } from './integrations/registries.ts';
import { createPromotions } from './promotions/promotions.ts';
import { createReleases } from './releases/releases.ts';
import { createProviders } from './secrets/providers.ts';
import { createSecretSource } from './secrets/secret-source.ts';
import { createSecretStore } from './secrets/secrets.ts';
import { createVaults } from './secrets/vaults.ts';
import { createTargets } from './targets/targets.ts';
import { createVariableSets } from './variables/variable-sets.ts';

export interface OrchestratorSettings {
  /** The trust domain of agents' SPIFFE ids. */
  readonly platformDomain: string;
  /** Where agents reach their listener: told with each registration token. */
  readonly agentUrl: string;
  /** How many days a deployment's log is kept after its last line. */
  readonly deploymentLogDays: number;
  /** What signs attestations and checkpoints. */
  readonly signingKeys: SigningKeys;
}

export type Services = ReturnType<typeof createParts>['services'];

/** The module's rooms, connected: nouns with their operations, the agents' door, and what runs by itself. */
export const createParts = (deps: Deps, { platformDomain, agentUrl, deploymentLogDays }: OrchestratorSettings) => {
  const registries = createRegistries(deps);
  const metrics = createMetrics(deps);
  const vaults = createVaults(deps);
  const secrets = createSecretSource({ ...deps, vaults });
  const deeds = createDeeds(deps, platformDomain);
  const preflight = createPreflight({ database: deps.database, registries, secrets, agents: agentDirectory });
  const launching = createLaunching({ ids: deps.ids, agents: agentDirectory, deeds });
  const advance = createAdvance({ ids: deps.ids, queue: taskQueue, deeds });
  const listener = createTaskListener(advance);
  const fleet = createFleet(deps, { registries, secrets, listener, trustDomain: platformDomain, agentUrl });
  const analyst = createAnalyst({ ...deps, metrics });
  const runner = createRunner({ ...deps, advance, preflight, analyst });
  const door: AgentDoor = fleet.door;
  const imageStatements = createImageStatements({ ...deps, registries });
  const housekeeping = createHousekeeping(deps, { deploymentLogDays });
  const workers: readonly Worker[] = [
    runner.worker,
    fleet.watch.worker,
    imageStatements.worker,
    createSchedule(deps, 'orchestrator.housekeeping', [housekeeping]),
  ];
  return {
    /** Every noun of the module; each holds operations and nothing else. */
    services: {
      environments: createEnvironments(deps),
      targets: createTargets(deps),
      integrations: createIntegrations(deps, { registry: registries.ping, metrics: metrics.ping }),
      secrets: createSecretStore(deps),
      secretProviders: createProviders(deps, vaults),
      variableSets: createVariableSets(deps),
      releases: createReleases(deps, registries, deeds),
      promotions: createPromotions(deps, deeds),
      deployments: {
        ...createDeployments({ ...deps, preflight, launching }),
        ...createControls({ ...deps, advance }),
        ...createRollback({ ...deps, preflight, launching }),
        ...createRetry({ ...deps, preflight, launching }),
      },
      logs: createLogs(deps),
      agents: fleet.operations,
      estate: createEstate(deps),
      custody: createCustody(deps),
      trustedSigners: createTrustedSigners(deps),
      imageAdmission: createImageAdmission(deps, createAdmission({ ...deps, registries })),
      imageStatements: imageStatements.operations,
    },
    /** What agents call through their door. */
    agentOperations: fleet.agentOperations,
    door,
    workers,
    /** One turn of each worker, for tests that hold time in their hands. */
    turns: {
      runner: runner.turn,
      watch: fleet.watch.turn,
      imageStatements: imageStatements.turn,
      housekeeping: housekeeping.run,
    },
  };
};

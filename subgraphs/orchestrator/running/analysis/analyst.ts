import { digestHex, isDigest } from '@landfall/kernel/crypto/digest';
import type { Deps } from '@landfall/kernel/module';
import { fill } from '../../catalogue/environments/analysis-template.ts';
import * as environments from '../../catalogue/environments/environment.ts';
import type { Metrics } from '../../catalogue/integrations/metrics.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import type { Analyst, Measured } from '../rollout/ports.ts';
import { decideGate } from './analysis-gate.ts';
import { judgeMeasurement } from './measurement-verdict.ts';
import * as measurements from './measurements.store.ts';

export const { listByDeployments: listMeasurements } = measurements;

/** Length of the digest label in the agents' router metrics, in characters. */
const SHORT_DIGEST = 12;

const shortOf = (digest: string): string[] => (isDigest(digest) ? [digestHex(digest).slice(0, SHORT_DIGEST)] : []);

const digestsOf = (components: readonly releases.Component[]): string =>
  components
    .flatMap(({ digest, platforms }) => [digest ?? '', ...platforms.map((child) => child.digest)])
    .flatMap(shortOf)
    .join('|');

/**
 * Checks whether an unknown repeats the previous one. A gate may wait for days, so a repeated unknown is stored once.
 */
const isRepeated = (last: Measured | undefined, { verdict, detail }: Measured): boolean =>
  verdict === 'unknown' && last?.verdict === 'unknown' && last.detail === detail;

interface AnalystDeps extends Pick<Deps, 'database'> {
  readonly metrics: Pick<Metrics, 'query'>;
}

/** Creates the analyst of canaries, which measures by a metrics server while a gate is closed. */
export const createAnalyst = ({ database, metrics }: AnalystDeps): Analyst => ({
  async measure(caller, deployment, policy) {
    const { release, environment } = await database.read(caller.tenant, async (query) => ({
      release: await releases.find(query, caller.tenant, deployment.releaseId),
      environment: await environments.find(query, caller.tenant, deployment.environmentId),
    }));
    if (!release || !environment)
      throw new TypeError(`deployment ${deployment.id} has lost its release or environment`);
    const query = fill(policy.query, {
      deployment: deployment.id,
      environment: environment.name,
      release: `${release.name} ${release.semver}`,
      digests: digestsOf(release.components),
    });
    return judgeMeasurement(await metrics.query(caller, policy.integrationId, query), policy);
  },

  async record(tx, caller, deployment, phaseIndex, measured) {
    const before = await measurements.listAtGate(tx, caller.tenant, deployment.id, phaseIndex);
    if (!isRepeated(before.at(-1), measured)) {
      await measurements.insert(tx, caller.tenant, { deploymentId: deployment.id, phaseIndex, ...measured });
      await publishEvent(tx, caller, 'deployment.measure', 'Deployment', deployment, { phaseIndex, ...measured });
    }
    const environment = await environments.find(tx, caller.tenant, deployment.environmentId);
    // When the policy was removed meanwhile, a person decides about the gate.
    if (!environment?.analysis) return 'wait';
    const verdicts = [...before, measured].map(({ verdict }) => verdict);
    return decideGate(verdicts, environment.analysis);
  },
});

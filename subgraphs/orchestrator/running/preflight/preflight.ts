import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Id } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import type { Query } from '@landfall/kernel/db/query';
import * as environments from '../../catalogue/environments/environment.ts';
import type { Registries } from '../../catalogue/integrations/registries.ts';
import * as products from '../../catalogue/products/product.ts';
import * as releases from '../../catalogue/releases/release.ts';
import type { Resolved, ResolvedReferences, SecretSource } from '../../catalogue/secrets/secret-source.ts';
import { listReadiness } from '../../catalogue/targets/agent-readiness.ts';
import * as targets from '../../catalogue/targets/target.ts';
import { secretLimitProblem } from '../../catalogue/variables/secret-bounds.ts';
import { environmentOf, secretsOf, type TaskEnvironment } from '../../catalogue/variables/task-environment.ts';
import * as variableSets from '../../catalogue/variables/variable-sets.ts';
import type { FailureSubject } from '../deployments/anatomy.ts';
import type { Deployment } from '../deployments/deployment.ts';
import {
  adaptForRollback,
  combineFindings,
  createPreflightReport,
  type Finding,
  judgeReadiness,
} from './preflight-rules.ts';
import { listRetained } from './retained-images.store.ts';

/** Deadline of preflight's network requests, in milliseconds; a late answer counts as unknown. */
const PREFLIGHT_DEADLINE_MS = 3_000;

const MISSING: ReadonlySet<string> = new Set([
  'REL_TAG_NOT_FOUND',
  'INT_RESOURCE_NOT_FOUND',
  'DEPLOY_ARTIFACT_MISSING',
]);

const findingOf = (subject: string, { code, message }: Fault): Finding => {
  if (MISSING.has(code)) return { subject, status: 'fail', reason: 'artifact-missing', detail: message };
  if (code === 'INT_AUTH_FAILED') return { subject, status: 'fail', reason: 'registry-unauthorized', detail: message };
  return { subject, status: 'unknown', detail: message };
};

/** Finding about a secret: unknown if its vault cannot be asked or only the agent can read it. */
const secretFinding = (subject: string, resolved: Resolved | undefined): Finding => {
  if (!resolved) return { subject, status: 'unknown', detail: 'only the agent can tell' };
  switch (resolved.status) {
    case 'found':
      return { subject, status: 'pass' };
    case 'missing':
      return { subject, status: 'fail', reason: 'secret-not-found', detail: resolved.detail };
    case 'refused':
      return { subject, status: 'fail', reason: 'secret-refused', detail: resolved.detail };
    case 'unavailable':
      return { subject, status: 'unknown', detail: resolved.detail };
  }
};

const nothing: ResolvedReferences = new Map();

/** Deployment to check again: it keeps the variable set it recorded, whereas a launch takes the newest. */
type PreflightDeployment = Pick<Deployment, 'kind' | 'variableSetVersion'>;

const variablesFor = async (
  query: Query,
  caller: Who,
  environmentId: Id<'Environment'>,
  deployment: PreflightDeployment | undefined,
): Promise<readonly variableSets.Variable[]> => {
  const version = deployment?.variableSetVersion;
  if (version === null) return [];
  const set = await (version === undefined
    ? variableSets.findNewest(query, caller.tenant, environmentId)
    : variableSets.find(query, caller.tenant, environmentId, version));
  return set?.variables ?? [];
};

interface Setting {
  readonly name: string;
  readonly environment: TaskEnvironment;
}

/** Secrets that targets need, and the answers of the built-in store. */
interface Wanted {
  readonly settings: readonly Setting[];
  readonly references: readonly string[];
  readonly stored: ResolvedReferences;
}

/** Lists every secret that the targets need. */
const wantedSecrets = (settings: readonly Setting[]): readonly string[] => [
  ...new Set(settings.flatMap(({ environment }) => secretsOf(environment))),
];

const asFound = (finding: Finding): Finding => finding;

/** Adapts findings for a rollback; images that every agent has on its disk need no registry. */
const easeFor = async (
  query: Query,
  caller: Who,
  release: releases.Release,
  environment: environments.Environment,
  enabled: readonly targets.Target[],
) => {
  const all = await listRetained(query, caller.tenant, environment.id);
  const approvedSame = all.filter(({ gatedDigestSet }) => gatedDigestSet === release.gatedDigestSet);
  const isRetained = enabled.every(({ id, agentId }) =>
    approvedSame.some((each) => each.targetId === id && each.agentId === agentId),
  );
  return (finding: Finding): Finding => adaptForRollback(finding, isRetained);
};

interface PreflightDeps {
  readonly database: Database;
  readonly registries: Pick<Registries, 'manifest'>;
  readonly secrets: SecretSource;
}

export type Preflight = ReturnType<typeof createPreflight>;

/** Creates the four readiness checks of spec 2.10, which ask registries and vaults outside of transactions. */
export const createPreflight = ({ database, registries, secrets }: PreflightDeps) => {
  const load = (
    caller: Who,
    releaseId: Id<'Release'>,
    environmentId: Id<'Environment'> | undefined,
    deployment: PreflightDeployment | undefined,
  ) =>
    database.read(caller.tenant, async (query) => {
      const release = await releases.get(query, caller.tenant, releaseId);
      if (environmentId === undefined)
        return {
          release,
          environment: undefined,
          findings: [],
          settings: [],
          references: [],
          stored: nothing,
          ease: asFound,
        };
      const entry = await products.findPathEntry(query, caller.tenant, release.productId, environmentId);
      if (!entry) throw environments.notFound(environmentId);
      const { environment, step } = entry;
      const reach = targets.reachOf(release, step, deployment?.kind ?? 'deploy');
      const enabled = await targets.listReached(query, caller.tenant, environmentId, reach);
      const ready = await listReadiness(query, caller.tenant, enabled);
      const variables = await variablesFor(query, caller, environmentId, deployment);
      const settings = enabled.map((target) => ({ name: target.name, environment: environmentOf(target, variables) }));
      const references = wantedSecrets(settings);
      const stored = await secrets.fromStore(query, caller.tenant, references);
      return {
        release,
        environment,
        findings:
          enabled.length === 0
            ? [{ subject: environment.name, status: 'fail', reason: 'no-targets', detail: 'it has no target' } as const]
            : enabled.map((target) => judgeReadiness(target, ready.get(target.id))),
        settings,
        references,
        stored,
        ease: deployment?.kind === 'rollback' ? await easeFor(query, caller, release, environment, enabled) : asFound,
      };
    });

  const lookUp = ({ components }: releases.Release, caller: Who): Promise<Finding[]> =>
    Promise.all(
      components.map(async ({ name, repository, digest }): Promise<Finding> => {
        if (digest === null) return { subject: name, status: 'unknown', detail: 'it has no digest yet' };
        const found = await registries.manifest(caller, repository, digest, AbortSignal.timeout(PREFLIGHT_DEADLINE_MS));
        return found instanceof Fault ? findingOf(name, found) : { subject: name, status: 'pass' };
      }),
    );

  const resolve = async (caller: Who, { settings, references, stored }: Wanted): Promise<Finding[]> => {
    const values = new Map([...(await secrets.fromVaults(caller, references)), ...stored]);
    const excess = settings.flatMap(({ name, environment }): Finding[] => {
      const detail = secretLimitProblem(environment, values);
      return detail === undefined ? [] : [{ subject: name, status: 'fail', reason: 'secrets-too-large', detail }];
    });
    return [...references.map((reference) => secretFinding(reference, values.get(reference))), ...excess];
  };

  return {
    /** Reads more in a transaction of its own, for callers that check. */
    read: <T>(caller: Who, use: (query: Query) => Promise<T>): Promise<T> => database.read(caller.tenant, use),

    /** Runs the checks; throws Fault RES_RELEASE_NOT_FOUND, RES_ENVIRONMENT_NOT_FOUND. */
    async check(
      caller: Who,
      releaseId: Id<'Release'>,
      environmentId: Id<'Environment'> | undefined,
      deployment?: PreflightDeployment,
    ) {
      const loaded = await load(caller, releaseId, environmentId, deployment);
      const { release, environment, findings, ease } = loaded;
      const [imageFindings, secretFindings] = await Promise.all([lookUp(release, caller), resolve(caller, loaded)]);
      const subject: FailureSubject = { releaseId, ...(environmentId !== undefined && { environmentId }) };
      const pinned = release.components.map(
        ({ name, digest }): Finding =>
          digest === null || release.status === 'draft'
            ? { subject: name, status: 'fail', reason: 'digest-not-pinned', detail: 'it is not finalized' }
            : { subject: name, status: 'pass' },
      );
      const needsEnvironment = 'Name an environment to check this.';
      return createPreflightReport(releaseId, environment?.name ?? null, [
        combineFindings('digest-pinned', pinned, 'The release has no components.', subject),
        combineFindings('image-resolvable', imageFindings.map(ease), 'The release has no components.', subject),
        combineFindings('target-ready', findings.map(ease), needsEnvironment, subject),
        environment && secretFindings.length === 0
          ? {
              key: 'secret-resolvable',
              title: 'Every secret exists',
              status: 'pass',
              detail: 'Nothing here refers to a secret.',
              anatomy: null,
            }
          : combineFindings('secret-resolvable', secretFindings, needsEnvironment, subject),
      ]);
    },
  };
};

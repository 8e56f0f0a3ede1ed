import { createHash } from 'node:crypto';
import { type TenantId, toTenantId } from '@landfall/kernel/core/ids';
import { boolean, json, text, textArray } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { event } from '@landfall/kernel/events/write';
import { createLog } from '@landfall/kernel/system/log';
import { testDeps } from '@landfall/kernel/testing/app';
import { caller } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import Type from 'typebox';
import { createCorpus } from '../corpus/corpus.ts';
import { createProjection } from './projection.ts';

/** Id for a name of the test's story, the same each time. */
export const idOf = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

export const digestOf = (name: string): string => `sha256:${createHash('sha256').update(name).digest('hex')}`;

/** Event to write: its type, its entity and its data. */
export interface NewStoryEvent {
  readonly type: string;
  readonly entity: string;
  readonly name: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Actor of the event; Rosa by default. */
  readonly by?: string;
}

/** Changes the actor of events. */
export const finished = (by: string, events: readonly NewStoryEvent[]): NewStoryEvent[] =>
  events.map((event) => ({ ...event, by }));

export const entry = (
  type: string,
  entity: string,
  name: string,
  data: Readonly<Record<string, unknown>> = {},
): NewStoryEvent => ({
  type,
  entity,
  name,
  data,
});

const component = (name: string, tag: string) => ({
  name,
  digest: null,
  dependsOn: [],
  repository: `registry.example/shop/${name}`,
  requestedTag: tag,
});

/** Events of a release from its draft to ready. */
export const aRelease = (name: string, semver: string): NewStoryEvent[] => [
  entry('release.create', 'Release', name, {
    name: 'shop',
    semver,
    components: [component('api', semver), component('web', semver)],
    notes: `What is new in ${semver}`,
  }),
  entry('release.finalize', 'Release', name, {
    components: ['api', 'web'].map((each) => ({ name: each, digest: digestOf(`${each} ${semver}`) })),
    gatedDigestSet: digestOf(`set ${semver}`),
  }),
  entry('release.ready', 'Release', name),
];

/** Events of targets of releases, as the orchestrator names them. */
export const anEstate: readonly NewStoryEvent[] = [
  entry('integration.create', 'Integration', 'registry', {
    kind: 'registry',
    name: 'Harbour registry',
    baseUrl: 'https://robot:hunter2@registry.example',
  }),
  entry('environment.create', 'Environment', 'prod', {
    name: 'prod',
    stageKind: 'prod',
    orderIndex: 30,
    rules: {
      name: 'prod',
      stageKind: 'prod',
      requiredApprovals: 2,
      separationOfDuties: 'author',
      requiredEvidence: [],
    },
  }),
  entry('agent.register', 'Agent', 'harbour-1', { name: 'harbour-1', token: idOf('token'), serial: 'abcdef' }),
  ...['prod-1', 'prod-2'].map((name) =>
    entry('target.create', 'Target', name, {
      name,
      driver: 'process',
      agentId: idOf('harbour-1'),
      environmentId: idOf('prod'),
    }),
  ),
];

/** Events of a release that is requested, approved and deployed; `outcome` is the outcome of its deployment. */
export const aDeployment = (
  name: string,
  release: string,
  outcome: readonly NewStoryEvent[] = [
    entry('estate.landed', 'Target', 'prod-1', { release: idOf(release), deployment: idOf(name) }),
    entry('estate.landed', 'Target', 'prod-2', { release: idOf(release), deployment: idOf(name) }),
    entry('deployment.advance', 'Deployment', name, { state: 'completed' }),
    entry('promotion.deployed', 'Promotion', `promotion of ${name}`, { deployment: idOf(name) }),
    entry('deployment.attest', 'Deployment', name, { attestation: idOf('attestation') }),
  ],
): NewStoryEvent[] => [
  entry('promotion.request', 'Promotion', `promotion of ${name}`, {
    state: 'pending',
    reason: 'Pictures of what we sell',
    releaseId: idOf(release),
    environmentId: idOf('prod'),
    gatedDigestSet: digestOf('set'),
  }),
  entry('promotion.approve', 'Promotion', `promotion of ${name}`, {
    have: 1,
    need: 2,
    state: 'pending',
    comment: null,
  }),
  entry('promotion.approve', 'Promotion', `promotion of ${name}`, {
    have: 2,
    need: 2,
    state: 'approved',
    comment: 'Looked at the load test',
  }),
  entry('deployment.launch', 'Deployment', name, {
    promotion: idOf(`promotion of ${name}`),
    strategy: 'canary',
    acknowledged: [],
  }),
  entry('promotion.deploying', 'Promotion', `promotion of ${name}`, { deployment: idOf(name) }),
  entry('deployment.advance', 'Deployment', name, { state: 'preflight' }),
  entry('deployment.step', 'Deployment', name, { target: idOf('prod-1') }),
  entry('deployment.phase', 'Deployment', name, { phase: 0, status: 'running' }),
  ...outcome,
];

const progress = table('search.projections progress', { isDone: boolean });

const documents = table('search.chunks told', {
  documentKey: text,
  domain: text,
  entityKey: text,
  entityType: text,
  title: text,
  body: text,
  identifiers: textArray,
  packages: textArray,
  refType: text.nullable(),
  severity: text.nullable(),
  attributes: json(Type.Record(Type.String(), Type.Unknown())),
});

/**
 * Starts a database with events, and the projection of them.
 * @param period a database that the caller opened and closes
 */
export const storyApp = async (testDependencies?: Awaited<ReturnType<typeof testDeps>>) => {
  const base = testDependencies ?? (await testDeps());
  const { deps } = base;
  const corpus = createCorpus(deps);
  const steppedOver: string[] = [];
  const log = createLog(
    { level: 'error' },
    {
      write(line) {
        const { msg, type, kind }: Record<string, unknown> = JSON.parse(line);
        steppedOver.push(`${msg} ${type ?? kind}`);
      },
    },
  );
  const projection = createProjection({ ...deps, log }, corpus);
  const versions = new Map<string, number>();

  const writeEvents = async (events: readonly NewStoryEvent[], tenant = 'acme'): Promise<void> => {
    for (const { type, entity, name, data, by = 'rosa' } of events) {
      const actor = { ...caller({ tenant, subject: idOf(by) }), tenant: toTenantId(tenant) };
      const version = (versions.get(name) ?? 0) + 1;
      versions.set(name, version);
      await deps.database.write(actor.tenant, (tx) =>
        event(tx, actor, type, { entity, id: idOf(name), version, ...(data && { data }) }),
      );
    }
  };

  const isProjected = async (): Promise<boolean> => {
    const { isDone } = await deps.database.system.read((query) =>
      query.get(
        progress,
        sql`select exists (select from search.projections) and not exists (
          select from kernel.events e, search.projections p where (e.xid, e.id) > (p.xid, p.event_id)) as is_done`,
      ),
    );
    return isDone;
  };

  const list = (tenant: TenantId) =>
    deps.database.read(tenant, (query) =>
      query.list(
        documents,
        sql`select ${documents.columns} from search.chunks
          where tenant = ${tenant} and removed_at is null order by document_key`,
      ),
    );

  return {
    ...base,
    corpus,
    projection,
    /** Logged errors: the message, and the event type or kind. */
    steppedOver,
    happen: writeEvents,
    /**
     * Projects all events, as the worker does: a reading can miss events for a moment, while a transaction of another
     * database ends.
     */
    project: () =>
      until(async () => {
        await projection.advance();
        return isProjected();
      }),
    documents: (tenant = 'acme') => list(toTenantId(tenant)),
    async document(key: string, tenant = 'acme') {
      return (await list(toTenantId(tenant))).find(({ documentKey }) => documentKey === key);
    },
  };
};

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@landfall/kernel/core/clock';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { createHints } from '@landfall/kernel/events/hint';
import { createHttpClient } from '@landfall/kernel/http/client';
import type { Deps } from '@landfall/kernel/module';
import { createOperations } from '@landfall/kernel/operation/operation';
import { registerRoutes } from '@landfall/kernel/routes/plugin';
import { openEgress } from '@landfall/kernel/system/egress';
import { silentLog } from '@landfall/kernel/system/log';
import { people } from '@landfall/kernel/testing/callers';
import { seededIds } from '@landfall/kernel/testing/ids';
import type { Upgrade } from '@landfall/kernel/testing/upgrade';
import { createOrchestrator } from '@landfall/orchestrator';
import Fastify from 'fastify';
import { orchestratorRoutes } from './orchestrator.ts';

/** Folders of migrations, in the order in which they are applied. */
export const folders = ['kernel', 'orchestrator'].map((name) =>
  fileURLToPath(new URL(`../../subgraphs/${name}/migrations`, import.meta.url)),
);

const idOf = (nth: number): string => `00000000-0000-7000-8000-${String(nth).padStart(12, '0')}`;
const digestOf = (nth: number): string => `sha256:${nth.toString(16).padStart(64, '0')}`;

type Value = string | number | boolean | null;

const literal = (value: Value): string => (value === null ? 'null' : `'${value}'`);

const insert = (name: string, row: Readonly<Record<string, Value>>): string =>
  `insert into orchestrator.${name} (tenant, ${Object.keys(row).join(', ')})
     values ('acme', ${Object.values(row).map(literal).join(', ')})`;

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
const by = (minute: number) => ({
  created_by: 'rosa',
  created_at: at(minute),
  updated_by: 'rosa',
  updated_at: at(minute),
});

const AGENT = idOf(1);
const ENVIRONMENTS = { dev: idOf(10), prod: idOf(11) } as const;
const TARGETS = { dev: [idOf(20)], prod: [idOf(21), idOf(22)] } as const;

type EnvironmentName = keyof typeof ENVIRONMENTS;

const ids = (): string[] => [
  insert('agents', {
    id: AGENT,
    name: 'harbour-1',
    state: 'active',
    software_version: '1',
    spiffe_id: 's',
    certificate_serial: '1',
    certificate_not_after: '2100-01-01',
    public_key: 'key',
    capabilities: '{"process": "1"}',
    host_facts: '{"platform": "linux/amd64"}',
    last_heartbeat_at: '2100-01-01',
    created_by: 'rosa',
  }),
  ...(['dev', 'prod'] as const).map((name, order) =>
    insert('environments', {
      id: ENVIRONMENTS[name],
      name,
      order_index: order * 10,
      stage_kind: name,
      required_approvals: order,
      separation_of_duties: 'off',
      required_evidence: '[]',
      default_strategy: 'all_at_once',
      deploy_timeout_seconds: 600,
      ...by(0),
    }),
  ),
  ...(['dev', 'prod'] as const).flatMap((name) =>
    TARGETS[name].map((id, nth) =>
      insert('targets', {
        id,
        environment_id: ENVIRONMENTS[name],
        name: `${name}-${nth + 1}`,
        driver: 'process',
        config: '{"port": 8080, "probePath": "/", "probeTimeoutSeconds": 5, "env": []}',
        secret_refs: '[]',
        agent_id: AGENT,
        ...by(0),
      }),
    ),
  ),
];

interface OldRelease {
  readonly nth: number;
  readonly name: string;
  readonly semver: string;
  readonly status: string;
  readonly components: readonly string[];
  readonly hold?: string;
}

const RELEASES: readonly OldRelease[] = [
  { nth: 100, name: 'shop', semver: '1.0.0', status: 'ready', components: ['web', 'api'] },
  { nth: 101, name: 'shop', semver: '1.1.0', status: 'ready', components: ['web'] },
  { nth: 102, name: 'pay', semver: '1.0.0', status: 'ready', components: ['web'], hold: 'Pages are slow' },
  { nth: 103, name: 'shop', semver: '1.2.0', status: 'draft', components: ['web'] },
  { nth: 104, name: 'Shop Front', semver: '0.9.0-rc.1', status: 'deprecated', components: ['web'] },
  { nth: 105, name: 'shop', semver: '1.3.0', status: 'finalized', components: ['web', 'api'] },
];

const componentDigest = ({ nth }: OldRelease, component: number): string => digestOf(nth * 10 + component);

const release = (each: OldRelease): string[] => {
  const { nth, name, semver, status, components, hold } = each;
  const isFixed = status !== 'draft';
  return [
    insert('releases', {
      id: idOf(nth),
      name,
      semver,
      status,
      notes: `Notes of ${semver}.`,
      hold_reason: hold ?? null,
      hold_since: hold === undefined ? null : at(nth),
      hold_actor: hold === undefined ? null : 'rosa',
      gated_digest_set: isFixed ? digestOf(nth) : null,
      finalized_by: isFixed ? 'rosa' : null,
      finalized_at: isFixed ? at(nth) : null,
      deprecation_reason: status === 'deprecated' ? 'Replaced' : null,
      ...by(nth),
    }),
    ...components.map((component, index) =>
      insert('release_components', {
        release_id: idOf(nth),
        name: component,
        repository: `registry.example/${name.replace(' ', '-').toLowerCase()}/${component}`,
        requested_tag: semver,
        digest: isFixed ? componentDigest(each, index) : null,
        media_type: isFixed ? 'application/vnd.oci.image.manifest.v1+json' : null,
        depends_on: index === 0 && components.length > 1 ? '{api}' : '{}',
      }),
    ),
    ...(isFixed
      ? [
          insert('release_evidence', {
            release_id: idOf(nth),
            type: 'sbom',
            digest: digestOf(nth + 5_000),
            recorded_by: 'rosa',
            recorded_at: at(nth + 1),
          }),
        ]
      : []),
  ];
};

interface OldDeployment {
  readonly nth: number;
  readonly release: number;
  readonly place: EnvironmentName;
  readonly ends: 'verified' | 'unverified' | 'failed';
  readonly promotion: 'deployed' | 'superseded' | 'failed';
}

/** In order; releases of another name take the place of what landed before on the same targets. */
const DEPLOYMENTS: readonly OldDeployment[] = [
  { nth: 200, release: 100, place: 'dev', ends: 'verified', promotion: 'superseded' },
  { nth: 201, release: 100, place: 'prod', ends: 'verified', promotion: 'deployed' },
  { nth: 202, release: 101, place: 'dev', ends: 'verified', promotion: 'superseded' },
  { nth: 203, release: 101, place: 'prod', ends: 'failed', promotion: 'failed' },
  { nth: 204, release: 102, place: 'dev', ends: 'unverified', promotion: 'deployed' },
];

const planOf = (targets: number): string =>
  JSON.stringify({
    strategy: 'all_at_once',
    requestedStrategy: 'all_at_once',
    targetCount: targets,
    phases: [{ index: 0, kind: 'all', targetCount: targets, weight: null, gate: null }],
    effectiveBehaviour: 'All targets change over at once.',
    caveats: [],
  });

const anatomy = JSON.stringify({
  stage: 'health-probe',
  category: 'HealthCheckFailed',
  reason: 'probe-failed',
  plainReason: 'It failed.',
  detail: 'HTTP 500',
  action: 'Mend it.',
  actionPath: null,
  retryable: false,
});

const deployment = ({ nth, release: of, place: environment, ends, promotion }: OldDeployment): string[] => {
  const cause = ends === 'failed' ? anatomy : null;
  return [
    insert('promotions', {
      id: idOf(nth + 100),
      release_id: idOf(of),
      target_environment_id: ENVIRONMENTS[environment],
      state: promotion,
      reason: 'Ship it.',
      requested_by: 'rosa',
      approvals_needed: 0,
      gated_digest_set: digestOf(of),
      updated_by: 'rosa',
      created_at: at(nth),
      updated_at: at(nth),
    }),
    insert('deployments', {
      id: idOf(nth),
      promotion_id: idOf(nth + 100),
      release_id: idOf(of),
      environment_id: ENVIRONMENTS[environment],
      kind: 'deploy',
      strategy: 'all_at_once',
      state: ends === 'failed' ? 'failed' : 'completed',
      plan: planOf(TARGETS[environment].length),
      acknowledged: '{}',
      launched_by: 'rosa',
      created_at: at(nth),
      started_at: at(nth),
      deadline_at: '2100-01-01',
      anatomy: cause,
      landing: ends === 'failed' ? null : ends,
      completed_at: at(nth + 1),
    }),
    ...TARGETS[environment].map((target, index) =>
      insert('deployment_targets', {
        deployment_id: idOf(nth),
        target_id: target,
        name: `${environment}-${index + 1}`,
        phase_index: 0,
        state: ends === 'failed' ? 'failed' : 'succeeded',
        anatomy: cause,
      }),
    ),
  ];
};

/** Observations of the targets on which something landed: the same digest, another one, or none that the agent can tell. */
const OBSERVATIONS: readonly (readonly [
  target: string,
  release: number,
  deployment: number,
  seen: 'same' | 'other' | null,
])[] = [
  [TARGETS.dev[0], 102, 204, null],
  [TARGETS.prod[0], 100, 201, 'same'],
  [TARGETS.prod[1], 100, 201, 'other'],
];

const observationRows = (): string[] =>
  OBSERVATIONS.flatMap(([target, of, from, running]) => {
    const landed = RELEASES.find(({ nth }) => nth === of);
    return (landed?.components ?? []).flatMap((component, index) => {
      const digest = landed ? componentDigest(landed, index) : '';
      const observed = running === 'same' ? digest : running === 'other' ? digestOf(9_999) : null;
      return [
        insert('approved_components', {
          target_id: target,
          component,
          release_id: idOf(of),
          deployment_id: idOf(from),
          digest,
          accepted: `{${digest}}`,
        }),
        insert('observations', {
          target_id: target,
          component,
          agent_id: AGENT,
          running: true,
          digest: observed,
          reason: observed === null ? 'nobody can tell' : null,
          observed_at: at(500),
          told_at: '2100-01-01',
        }),
      ];
    });
  });

/** Writes a tenant as version 20 of the orchestrator's tables has it. */
export const writeOldData = (upgrade: Upgrade): Promise<readonly object[]> =>
  upgrade.force(...ids(), ...RELEASES.flatMap(release), ...DEPLOYMENTS.flatMap(deployment), ...observationRows());

const BASE = '/api/v1/release-orchestrator';

const planPath = ({ nth }: OldRelease, environment: EnvironmentName): string =>
  `${BASE}/releases/${idOf(nth)}/deploy-plan?environmentId=${ENVIRONMENTS[environment]}`;

/** Product that landed last on the targets of each environment, which carry it alone after the upgrade. */
const PRODUCT_OF_ENVIRONMENT: Readonly<Record<EnvironmentName, string>> = { dev: 'pay', prod: 'shop' };

/** Plans of releases for environments all of whose targets carry another product. */
export const plansWithoutTargets: ReadonlySet<string> = new Set(
  RELEASES.flatMap((each) =>
    (['dev', 'prod'] as const).flatMap((environment) =>
      PRODUCT_OF_ENVIRONMENT[environment] === each.name ? [] : planPath(each, environment),
    ),
  ),
);

/** Paths of every read of the specification that asks no registry. */
export const paths: readonly string[] = [
  `${BASE}/releases`,
  `${BASE}/releases?limit=2`,
  ...['draft', 'finalized', 'ready', 'deprecated'].map((status) => `${BASE}/releases?status=${status}`),
  ...RELEASES.map(({ nth }) => `${BASE}/releases/${idOf(nth)}`),
  ...RELEASES.flatMap((each) => (['dev', 'prod'] as const).map((environment) => planPath(each, environment))),
  ...DEPLOYMENTS.map(({ nth }) => `${BASE}/deployments/${idOf(nth)}`),
  `${BASE}/estate/status`,
  `${BASE}/estate/drift`,
  `${BASE}/estate/drift?limit=1`,
  ...['inSync', 'drift', 'unobserved'].map((state) => `${BASE}/estate/drift?state=${state}`),
  `${BASE}/estate/drift?environmentId=${ENVIRONMENTS.dev}`,
  ...[1_000, 1_010, 1_020, 9_999].map((nth) => `${BASE}/estate/digest/${digestOf(nth)}`),
];

/** Serves the specification's reads over a database, and asks each path: its status and the bytes of its body. */
export const askAll = async (connection: Upgrade['connection']): Promise<Readonly<Record<string, string>>> => {
  await using stack = new AsyncDisposableStack();
  const hints = createHints(connection);
  stack.defer(() => hints.close());
  const database = createDatabase({ connection, onEvents: hints.publish });
  stack.defer(() => database.close());
  const http = createHttpClient({ egress: openEgress });
  stack.defer(() => http.close());
  const secrets = createSecrets([randomBytes(32)]);
  const operation = createOperations(database, secrets);
  const ids = seededIds();
  const deps: Deps = {
    database,
    hints,
    secrets,
    log: silentLog,
    http,
    egress: openEgress,
    clock: systemClock,
    ids,
    operation,
  };
  const orchestrator = createOrchestrator(deps, {
    platformDomain: 'landfall.example',
    agentUrl: 'https://127.0.0.1:4002',
    deploymentLogDays: 30,
    signingKeys: createSigningKeys(deps),
  });
  const server = Fastify();
  stack.defer(() => server.close());
  await registerRoutes(server, orchestratorRoutes(orchestrator), {
    clock: systemClock,
    ids,
    onBug: (error) => {
      throw error;
    },
    callerOf: async () => people.viewer,
  });
  const answers: Record<string, string> = {};
  for (const path of paths) {
    const { statusCode, body } = await server.inject({ url: path });
    answers[path] = `${statusCode} ${body}`;
  }
  return answers;
};

import { generateKeyPairSync } from 'node:crypto';
import type { Assignment } from '@landfall/agent/protocol/messages';
import type { Caller } from '@landfall/kernel/core/caller';
import { caller, people } from '@landfall/kernel/testing/callers';
import type { DeployingApp } from '../../../testing/deploying-app.ts';
import type * as model from '../model/entities.model.ts';
import type { Watch } from './row-watch.fixture.ts';

export const PERSONS = ['operator', 'approver', 'second-approver'] as const;

const publicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' });

type Person = (typeof PERSONS)[number];

export interface Images {
  digestOf(repository: string, tag: string): string;
}

/** Tenant with environments and agents, its model, and what the test learned from answers. */
export const createTenant = async (app: DeployingApp, watch: Watch, nth: number) => {
  const tenant = `tenant-${nth}`;
  const as = (person: Person | 'viewer'): Caller => {
    const { subject, scopes } = people[person];
    return caller({ tenant, subject, scopes: [...scopes] });
  };
  const environments: model.Environment[] = [];
  for (const [at, name] of ['dev', 'stage', 'prod-eu', 'prod-us'].entries()) {
    const { id, orderIndex } = await app.module.environments.create(as('operator'), {
      name,
      orderIndex: at * 10,
      stageKind: 'stage',
      requiredApprovals: at === 0 ? 0 : 1,
      separationOfDuties: at === 3 ? 'author' : 'off',
    });
    environments.push({
      id,
      orderIndex,
      requiredApprovals: at === 0 ? 0 : 1,
      separationOfDuties: at === 3 ? 'author' : 'off',
      isExclusive: false,
    });
  }
  const agents: string[] = [];
  for (const name of ['one', 'two']) {
    const id = app.deps.ids.uuid();
    await watch.query(
      'agent',
      `insert into orchestrator.agents (tenant, id, name, state, software_version, spiffe_id, certificate_serial,
         certificate_not_after, public_key, capabilities, host_facts, last_heartbeat_at, created_by)
       values ($1, $2, $3, 'active', '1.0.0', 'spiffe://test', $3, kernel.now(), $4, '{"process": "1"}',
         '{"platform": "linux/amd64"}',
         kernel.now(), 'operator')`,
      [tenant, id, name, publicKey],
    );
    agents.push(id);
  }
  const known: model.Model = {
    environments,
    products: [],
    targets: [],
    releases: [],
    promotions: [],
    deployments: [],
  };
  return {
    app,
    tenant,
    as,
    known,
    agents: agents.map((id) => ({ id, caller: caller({ tenant, subject: id, kind: 'agent' }), privateKey: '' })),
    agentOf: new Map<model.Target, number>(),
    versions: new Map<string, number>(),
    digestSets: new Map<model.Release, string>(),
    tasks: new Map<model.Target, Assignment>(),
    count: 0,
  };
};

export type Tenant = Awaited<ReturnType<typeof createTenant>>;

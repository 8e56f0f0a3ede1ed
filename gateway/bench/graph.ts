// Cost of the graph with the stock gateway executor, in one process with its modules and without HTTP: a baseline for
// the compiled executor. Processor time is this process's; PostgreSQL's is the same for either executor.
import { authorityModule } from '@landfall/authority';
import type { Caller } from '@landfall/kernel/core/caller';
import { toTenantId } from '@landfall/kernel/core/ids';
import { silentLog } from '@landfall/kernel/system/log';
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import { orchestratorModule } from '@landfall/orchestrator';
import { MODULES } from '@landfall/rest-compat/modules';
import { createGraph } from '../graph/graph.ts';
import { localSource } from '../graph/local-source.ts';
import { createModules } from '../modules/modules.ts';
import { benchHost } from './bench-host.ts';
import { createReport } from './figure.ts';
import { writer } from './notes.ts';
import { measure } from './rounds.ts';

const SMALL = 'query ($id: ID!) { release(id: $id) { id name semver status } }';
const JOIN = 'query ($id: ID!) { promotion(id: $id) { id state reason requestedBy { username displayName } } }';
const OPTIONS = { callers: 8, rounds: 20, roundMs: 250 };

const fail = (error: unknown): never => {
  throw error;
};

await using host = await benchHost();
await using registry = await startRegistry();
const modules = createModules(MODULES, host.deps, host.settings);
const [authority, orchestrator] = [authorityModule.get(modules), orchestratorModule.get(modules)];

const { bootstrap } = authority;
await bootstrap.ensureTenant({ tenant: 'acme', name: 'Acme' });
const person = { tenant: 'acme', username: 'ana', displayName: 'Ana Duarte', password: 'correct horse battery' };
const subject = await bootstrap.ensureUser({ ...person, roles: ['admin'] });
const scopes = new Set(['release:read', 'orch:read', 'orch:operate', 'orch:admin', 'authority:admin']);
const caller: Caller = { ...writer, tenant: toTenantId('acme'), subject, scopes };

registry.push('bench/web', buildApp({ version: '1.0.0' }), '1.0.0');
const { releases, environments, promotions } = orchestrator;
const components = [{ name: 'web', repository: registry.repository('bench/web'), tag: '1.0.0' }];
const draft = await releases.create(caller, { name: 'bench', semver: '1.0.0', components });
const finalized = await releases.finalize(caller, { id: draft.id, expectedVersion: draft.version });
await releases.markReady(caller, { id: draft.id, expectedVersion: finalized.version });
const environment = await environments.create(caller, { name: 'dev', orderIndex: 10, stageKind: 'dev' });
const request = { releaseId: draft.id, targetEnvironmentId: environment.id, reason: 'To be measured' };
const promotion = await promotions.request(caller, request);

const sources = new Map(modules.map((module) => [module.name, localSource(module, fail)]));
const graph = await createGraph({ sources, introspection: false, log: silentLog, onBug: fail });

const ask = (query: string, id: string) => async (): Promise<void> => {
  const body = { query, variables: { id } };
  const headers = { 'content-type': 'application/json' };
  const { status, body: text } = await graph.answer({ method: 'POST', headers, search: '', body, caller });
  if (status !== 200 || text.includes('"errors"')) throw new Error(text);
};

const own = { processes: [process.pid] };
const direct = await measure({ once: () => releases.get(caller, { id: draft.id }), ...own }, OPTIONS);
const small = await measure({ once: ask(SMALL, draft.id), ...own }, OPTIONS);
const join = await measure({ once: ask(JOIN, promotion.id), ...own }, OPTIONS);
await graph.close();

const { tell } = createReport('graph');
const cost = (metric: string, { perCpuSecond }: { readonly perCpuSecond: number }): void =>
  tell(metric, 1_000_000 / perCpuSecond, 'µs CPU');
cost('the operation alone', direct);
cost('a small query', small);
cost('a query that joins two modules', join);
tell('a small query, wall clock', small.perSecond, 'per second');
tell('a query that joins two modules, wall clock', join.perSecond, 'per second');

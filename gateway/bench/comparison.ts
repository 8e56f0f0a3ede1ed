// Comparison of two releases of fifty components each, all of them changed, with an environment's two hundred variables:
// the operation, and the whole query through the graph as a release page sends it, one at a time, in one process and
// without HTTP. No forge is asked.
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
import { median, quantile } from './statistics.ts';

const COMPONENTS = 50;
const VARIABLES = 200;
const REQUESTS = 300;
const WARM_UP = 50;

const QUERY = `query ($from: ComparedInput!, $to: ComparedInput!) { compareReleases(from: $from, to: $to) {
  from { release { id name semver } environment { name } variableSetVersion }
  to { release { id name semver } variableSetVersion }
  notices unchangedComponents unchangedVariables addedEvidence removedEvidence
  components { name kind compareUrl
    from { repository version digest source { uri revision from } }
    to { repository version digest source { uri revision from } } }
  variables { name kind from { value secret } to { value secret } } } }`;

const fail = (error: unknown): never => {
  throw error;
};

await using host = await benchHost();
await using registry = await startRegistry();
const modules = createModules(MODULES, host.deps, host.settings);
const { bootstrap } = authorityModule.get(modules);
const { releases, environments, variableSets, comparisons } = orchestratorModule.get(modules);

await bootstrap.ensureTenant({ tenant: 'acme', name: 'Acme' });
const scopes = new Set(['release:read', 'orch:read', 'orch:operate', 'orch:admin']);
const caller: Caller = { ...writer, tenant: toTenantId('acme'), scopes };

const release = async (semver: string): Promise<string> => {
  const components = Array.from({ length: COMPONENTS }, (_, index) => {
    const name = `part-${index}`;
    registry.push(`bench/${name}`, buildApp({ version: `${semver}-${index}` }), semver);
    return { name, repository: registry.repository(`bench/${name}`), tag: semver };
  });
  const { id, version } = await releases.create(caller, { name: 'bench', semver, components });
  await releases.finalize(caller, { id, expectedVersion: version });
  return id;
};

const environment = await environments.create(caller, { name: 'dev', orderIndex: 10, stageKind: 'dev' });
const variables = Array.from({ length: VARIABLES }, (_, index) => ({
  name: `VARIABLE_${index}`,
  value: String(index),
}));
await variableSets.save(caller, { environmentId: environment.id, expectedVersion: 0, variables });
const sides = {
  from: { releaseId: await release('1.0.0'), environmentId: environment.id },
  to: { releaseId: await release('1.1.0') },
};

const sources = new Map(modules.map((module) => [module.name, localSource(module, fail)]));
const graph = await createGraph({ sources, introspection: false, log: silentLog, onBug: fail });

const ask = async (): Promise<void> => {
  const body = { query: QUERY, variables: sides };
  const headers = { 'content-type': 'application/json' };
  const { status, body: text } = await graph.answer({ method: 'POST', headers, search: '', body, caller });
  if (status !== 200 || text.includes('"errors"') || text.split('"CHANGED"').length - 1 !== COMPONENTS)
    throw new Error(text);
};

const timesOf = async (once: () => Promise<unknown>): Promise<number[]> => {
  const times: number[] = [];
  for (let i = 0; i < WARM_UP + REQUESTS; i++) {
    const startedMs = performance.now();
    await once();
    if (i >= WARM_UP) times.push(performance.now() - startedMs);
  }
  return times;
};

const operation = await timesOf(() => comparisons.compare(caller, sides));
const query = await timesOf(ask);
await graph.close();

const { tell } = createReport('comparison');
tell('50 components compared in the graph, p95', quantile(query, 0.95), 'ms', { atMost: 50 });
tell('50 components compared in the graph, median', median(query), 'ms');
tell('50 components compared, the operation alone, p95', quantile(operation, 0.95), 'ms');

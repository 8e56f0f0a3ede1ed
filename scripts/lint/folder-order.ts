// Order of the folders inside a workspace: imports run down the list only, so no two folders form a cycle.
import { type Breach, importsOf, type Source, targetOf, workspaceOf } from './sources.ts';

/** Folders of a workspace that have an order between them. */
interface FolderOrder {
  /** Folders, lowest first: each may import the ones before it. `apart`: no folder imports another. */
  readonly order: readonly string[] | 'apart';
  /** Whether a store may be imported from its own folder only. */
  readonly hasPrivateStores?: boolean;
}

/** Path of a folder, from the root, to the order of the folders in it. */
const ORDERS: Readonly<Record<string, FolderOrder>> = {
  gateway: {
    order: [
      'settings',
      'process',
      'roles',
      'http',
      'session',
      'graph',
      'changes',
      'docs',
      'doctor',
      'knowledge',
      'modules',
      'edge',
      'cli',
      'demo',
      'proofs',
      'bench',
    ],
  },
  'subgraphs/agent': {
    order: ['protocol', 'state', 'secrets', 'server', 'oci', 'driver', 'router', 'targets', 'tasks'],
  },
  'rest-compat': { order: ['views', 'routes', 'replay'] },
  'subgraphs/attestation': {
    order: ['signature', 'timestamps', 'log', 'bundle', 'archive', 'statements', 'admission'],
    hasPrivateStores: true,
  },
  'subgraphs/authority': {
    order: [
      'protocol',
      'keys',
      'tenants',
      'revocation',
      'clients',
      'users',
      'factors',
      'groups',
      'authorization',
      'tokens',
      'sign-in',
      'federation',
      'scim',
      'account',
      'audit',
      'views',
      'operator',
      'demo',
    ],
    hasPrivateStores: true,
  },
  'subgraphs/registry-token': {
    order: ['access', 'signing', 'settings', 'tokens', 'configuration', 'operator', 'demo'],
    hasPrivateStores: true,
  },
  'subgraphs/kernel': {
    order: [
      'core',
      'system',
      'db',
      'crypto',
      'http',
      'oci',
      'identity',
      'events',
      'egress',
      'work',
      'operation',
      'routes',
      'graph',
      'operator',
      'demo',
    ],
    hasPrivateStores: true,
  },
  'subgraphs/orchestrator': {
    order: ['shared', 'catalogue', 'deciding', 'running', 'monitoring', 'evidence', 'comparison', 'operator', 'demo'],
    hasPrivateStores: true,
  },
  'subgraphs/orchestrator/catalogue': {
    order: ['integrations', 'secrets', 'environments', 'products', 'agents', 'targets', 'variables', 'releases'],
  },
  'subgraphs/orchestrator/deciding': { order: ['promotions', 'sources'] },
  'subgraphs/orchestrator/running': {
    order: [
      'plan',
      'deployments',
      'observations',
      'log',
      'preflight',
      'launch',
      'rollback',
      'retry',
      'rollout',
      'analysis',
      'tasks',
      'fleet',
    ],
  },
  'subgraphs/airgap': {
    order: ['shared', 'time', 'policy', 'seal', 'roots', 'kits', 'sync', 'mirror', 'operator', 'demo'],
  },
  'subgraphs/notifier': {
    order: [
      'shared',
      'events',
      'rules',
      'templates',
      'channels',
      'policies',
      'people',
      'deliveries',
      'ingest',
      'platform',
      'routing',
      'demo',
    ],
  },
  'subgraphs/artifacts': {
    order: [
      'shared',
      'content',
      'objects',
      'records',
      'legacy',
      'verdicts',
      'scrub',
      'custody',
      'bundles',
      'completeness',
      'arrivals',
      'exports',
      'operator',
      'demo',
    ],
    hasPrivateStores: true,
  },
  'subgraphs/scanner': {
    order: [
      'shared',
      'packages',
      'sbom',
      'advisories',
      'score',
      'reachability',
      'feeds',
      'vex',
      'manifests',
      'triage',
      'scans',
      'replays',
      'rescoring',
      'drifts',
      'gate',
      'running',
      'operator',
      'demo',
    ],
    hasPrivateStores: true,
  },
  'subgraphs/search': {
    order: [
      'shared',
      'text',
      'fts',
      'corpus',
      'importers',
      'imports',
      'platform',
      'adapters',
      'knowledge',
      'quality',
      'query',
      'vectors',
      'synthesis',
      'legacy',
      'operator',
      'demo',
    ],
    hasPrivateStores: true,
  },
  'console/src': { order: ['messages', 'generated', 'lib', 'ui', 'parts', 'features', 'shell', 'kit'] },
  'console/src/features': { order: 'apart' },
  'subgraphs/orchestrator/monitoring': { order: ['estate', 'portfolio', 'delivery', 'policies'] },
  'subgraphs/orchestrator/evidence': { order: ['images', 'statements', 'custody'] },
};

/** Files that every folder of a module may import: the resolvers' context and generated types. */
const SHARED = /\/(?:context|generated)\.ts$/;
const TEST = /\.test\.tsx?$|\.fixture\.ts$|\.model\.ts$|\/testing\//;

/** First folder of a path below `parent`; empty for a file of `parent` itself. */
const folderOf = (path: string, parent: string): string => {
  const [first = '', ...rest] = path.slice(parent.length + 1).split('/');
  return rest.length === 0 ? '' : first;
};

const judgeOrder = (file: string, target: string, parent: string, { order }: FolderOrder): string | undefined => {
  const [from, to] = [folderOf(file, parent), folderOf(target, parent)];
  if (from === to || from === '' || SHARED.test(target)) return undefined;
  if (order === 'apart') return `${parent}/${from} may not import ${parent}/${to}`;
  if (!order.includes(from))
    return `${parent}/${from} has no place in the order of folders (scripts/lint/folder-order.ts)`;
  if (to === '') return `${parent}/${from} is below the files of ${parent} itself`;
  return order.indexOf(to) < order.indexOf(from) ? undefined : `${parent}/${from} is below ${parent}/${to}`;
};

const judgeStore = (file: string, target: string, parent: string): string | undefined => {
  if (!/\.store(?:\.ts)?$/.test(target) || SHARED.test(file)) return undefined;
  const owner = target.slice(0, target.lastIndexOf('/'));
  return file.startsWith(`${owner}/`) || owner === parent ? undefined : `${owner} keeps its store to itself`;
};

/** Orders of folders that do not exist, whose rule would apply to nothing. */
export const checkOrderedFolders = (
  sources: readonly Pick<Source, 'file'>[],
  orders: Readonly<Record<string, FolderOrder>> = ORDERS,
): Breach[] =>
  Object.entries(orders)
    .flatMap(([parent, { order }]) => [parent, ...(order === 'apart' ? [] : order.map((each) => `${parent}/${each}`))])
    .filter((folder) => !sources.some(({ file }) => file.startsWith(`${folder}/`)))
    .map((folder) => ({ file: 'scripts/lint/folder-order.ts', line: 1, message: `there is no folder ${folder}` }));

/** Breaches of the order of folders; tests and fixtures may reach everywhere in their workspace. */
export const checkFolderOrder = (
  sources: readonly Source[],
  orders: Readonly<Record<string, FolderOrder>> = ORDERS,
): Breach[] =>
  sources
    .filter(({ file }) => !TEST.test(file))
    .flatMap((source) =>
      importsOf(source).flatMap((found) => {
        const target = targetOf(found);
        if (!target || workspaceOf(target) !== workspaceOf(source.file)) return [];
        return Object.entries(orders).flatMap(([parent, order]) => {
          if (!source.file.startsWith(`${parent}/`) || !target.startsWith(`${parent}/`)) return [];
          const messages = [
            judgeOrder(source.file, target, parent, order),
            order.hasPrivateStores ? judgeStore(source.file, target, parent) : undefined,
          ];
          return messages.flatMap((message) => (message ? [{ file: source.file, line: found.line, message }] : []));
        });
      }),
    );

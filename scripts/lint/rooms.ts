// Order of the folders inside a workspace: imports run down the list only, so no two folders form a cycle.
import { type Breach, importsOf, type Source, targetOf, workspaceOf } from './sources.ts';

/** Folders of a workspace that have an order between them. */
interface Rooms {
  /** The folders, lowest first: each may import those before it. Files of the workspace's root stand above all of them. */
  readonly order: readonly string[];
  /** Whether a store may be imported from its own folder only. */
  readonly hasPrivateStores?: boolean;
}

/** Path of a room, from the root, to the order of the folders in it. */
const ROOMS: Readonly<Record<string, Rooms>> = {
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
    ],
  },
  'subgraphs/registry-token': { order: ['access', 'signing', 'settings', 'tokens', 'configuration'] },
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
      'work',
      'operation',
      'routes',
      'graph',
    ],
    hasPrivateStores: true,
  },
  'subgraphs/orchestrator': { order: ['shared', 'catalogue', 'deciding', 'running', 'observing', 'evidence'] },
  'subgraphs/orchestrator/catalogue': {
    order: ['integrations', 'secrets', 'environments', 'agents', 'targets', 'variables', 'releases'],
  },
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
    ],
    hasPrivateStores: true,
  },
  'subgraphs/orchestrator/observing': { order: ['estate', 'policies'] },
  'subgraphs/orchestrator/evidence': { order: ['images', 'statements', 'custody'] },
};

/** Types that every folder of a module may name: what its resolvers receive, and what is generated from its SDL. */
const SHARED = /\/(?:context|generated)\.ts$/;
const TEST = /\.test\.tsx?$|\.fixture\.ts$|\.model\.ts$|\/testing\//;

/** Folder of a path below a room: '' for a file of the room itself. */
const folderOf = (path: string, room: string): string => {
  const [first = '', ...rest] = path.slice(room.length + 1).split('/');
  return rest.length === 0 ? '' : first;
};

const judgeOrder = (file: string, target: string, room: string, { order }: Rooms): string | undefined => {
  const [from, to] = [folderOf(file, room), folderOf(target, room)];
  if (from === to || from === '' || SHARED.test(target)) return undefined;
  if (!order.includes(from)) return `${room}/${from} has no place in the order of rooms (scripts/lint/rooms.ts)`;
  if (to === '') return `${room}/${from} is below the files of ${room} itself`;
  return order.indexOf(to) < order.indexOf(from) ? undefined : `${room}/${from} is below ${room}/${to}`;
};

const judgeStore = (file: string, target: string, room: string): string | undefined => {
  if (!/\.store(?:\.ts)?$/.test(target)) return undefined;
  const owner = target.slice(0, target.lastIndexOf('/'));
  return file.startsWith(`${owner}/`) || owner === room ? undefined : `${owner} keeps its store to itself`;
};

/** Breaches of the order of rooms; tests and fixtures may reach everywhere in their workspace. */
export const checkRooms = (sources: readonly Source[], rooms: Readonly<Record<string, Rooms>> = ROOMS): Breach[] =>
  sources
    .filter(({ file }) => !TEST.test(file))
    .flatMap((source) =>
      importsOf(source).flatMap((found) => {
        const target = targetOf(found);
        if (!target || workspaceOf(target) !== workspaceOf(source.file)) return [];
        return Object.entries(rooms).flatMap(([room, kept]) => {
          if (!source.file.startsWith(`${room}/`) || !target.startsWith(`${room}/`)) return [];
          const messages = [
            judgeOrder(source.file, target, room, kept),
            kept.hasPrivateStores ? judgeStore(source.file, target, room) : undefined,
          ];
          return messages.flatMap((message) => (message ? [{ file: source.file, line: found.line, message }] : []));
        });
      }),
    );

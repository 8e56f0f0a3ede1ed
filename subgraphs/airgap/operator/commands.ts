import type { CommandHost, ListedCommand } from '@landfall/kernel/operator/command';

type RootCommands = typeof import('./root-commands.ts');
type SyncCommands = typeof import('./sync-commands.ts');

const root = (name: keyof RootCommands) => async () => (await import('./root-commands.ts'))[name];
const sync = (name: keyof SyncCommands) => async (host: CommandHost) =>
  (await import('./sync-commands.ts'))[name](host);

export const airgapCommands: readonly ListedCommand[] = [
  { words: ['kit', 'root', 'key'], summary: 'creates a key that signs roots and kits', load: root('rootKey') },
  {
    words: ['kit', 'root', 'new'],
    summary: 'writes a root of kits, to be signed by its keys and those of the root before it',
    load: root('rootNew'),
  },
  { words: ['kit', 'root', 'sign'], summary: 'signs a root of kits', load: root('rootSign') },
  {
    words: ['kit', 'root', 'install'],
    summary: 'installs the first root of kits, or the next one',
    load: async (host) => (await import('./root-install.ts')).rootInstall(host),
  },
  {
    words: ['kit', 'build'],
    summary: 'builds an offline kit of feeds or of a release',
    load: async (host) => (await import('./kit-build.ts')).kitBuild(host),
  },
  {
    words: ['kit', 'sign'],
    summary: 'adds the signature of another key to a kit',
    load: async () => (await import('./kit-sign.ts')).kitSign,
  },
  {
    words: ['kit', 'import'],
    summary: 'verifies a kit, or some of its parts, and hands it to the server',
    load: async (host) => (await import('./kit-import.ts')).kitImport(host),
  },
  {
    words: ['kit', 'want'],
    summary: 'writes the signed list of what this site has, for the smallest kit that brings it forward',
    load: async (host) => (await import('./kit-want.ts')).kitWant(host),
  },
  {
    words: ['sync', 'export'],
    summary: 'writes the queued jobs of this site as a signed bundle',
    load: sync('syncExport'),
  },
  { words: ['sync', 'import'], summary: 'verifies and imports a bundle of another site', load: sync('syncImport') },
  {
    words: ['sync', 'site', 'show'],
    summary: 'writes the id and the public key of this site',
    load: sync('syncSiteShow'),
  },
  { words: ['sync', 'site', 'add'], summary: 'admits the bundles of a site', load: sync('syncSiteAdd') },
  { words: ['sync', 'want'], summary: 'writes the want-list of a site that requests a kit', load: sync('syncWant') },
];

import type { ListedCommand } from '@landfall/kernel/operator/command';

export const registryTokenCommands: readonly ListedCommand[] = [
  {
    words: ['registry', 'login'],
    summary: 'gets a token for a container registry and puts it into docker’s configuration',
    load: async () => (await import('./registry.ts')).registryLogin,
  },
  {
    words: ['registry', 'token'],
    summary: 'prints a token for a container registry',
    load: async () => (await import('./registry.ts')).registryToken,
  },
  {
    words: ['registry', 'ca'],
    summary: 'prints the certificates by which registries verify tokens',
    load: async (host) => (await import('./registry.ts')).registryCa(host),
  },
];

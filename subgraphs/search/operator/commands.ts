import type { ListedCommand } from '@landfall/kernel/operator/command';

export const searchCommands: readonly ListedCommand[] = [
  {
    words: ['search', 'import'],
    summary: 'reads advisories, VEX statements, bills of materials and policies, so that search finds them',
    load: async (host) => (await import('./search.ts')).searchImport(host),
  },
  {
    words: ['search', 'status'],
    summary: 'says what can be found, and how the latest imports went',
    load: async (host) => (await import('./search.ts')).searchStatus(host),
  },
];

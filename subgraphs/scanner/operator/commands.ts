import type { ListedCommand } from '@landfall/kernel/operator/command';

export const scannerCommands: readonly ListedCommand[] = [
  {
    words: ['scanner', 'import'],
    summary:
      'imports advisories (OSV), known exploited vulnerabilities (KEV), SSVC points and EPSS scores for all scans',
    load: async (host) => (await import('./import.ts')).scannerImport(host),
  },
];

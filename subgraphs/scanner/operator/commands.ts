import type { ListedCommand } from '@landfall/kernel/operator/command';

export const scannerCommands: readonly ListedCommand[] = [
  {
    words: ['scan'],
    summary: 'sends a bill of materials to a running server; ends with 1 if a finding meets a rule',
    load: async () => (await import('./scan.ts')).scan,
  },
  {
    words: ['scanner', 'import'],
    summary:
      'imports advisories (OSV), known exploited vulnerabilities (KEV), SSVC points and EPSS scores for all scans',
    load: async (host) => (await import('./import.ts')).scannerImport(host),
  },
];

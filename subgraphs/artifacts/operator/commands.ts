import type { ListedCommand } from '@landfall/kernel/operator/command';

export const artifactCommands: readonly ListedCommand[] = [
  {
    words: ['artifacts', 'migrate'],
    summary: 'puts the evidence of an earlier store, a tree of files, in the store',
    load: async (host) => (await import('./artifacts-migrate.ts')).artifactsMigrate(host),
  },
  {
    words: ['evidence', 'verify'],
    summary: 'checks an export of evidence by its archive and a trust document alone',
    load: async () => (await import('./evidence-verify.ts')).evidenceVerify,
  },
];

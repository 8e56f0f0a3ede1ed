import type { ListedCommand } from '@landfall/kernel/operator/command';

export const artifactCommands: readonly ListedCommand[] = [
  {
    words: ['evidence', 'verify'],
    summary: 'checks an export of evidence by its archive and a trust document alone',
    load: async () => (await import('./evidence-verify.ts')).evidenceVerify,
  },
];

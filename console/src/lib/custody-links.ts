import type { CustodyStepName } from '../generated/operations.ts';

/** Links of a chain of custody as an address spells them, from source to what runs. */
export const CUSTODY_LINKS = ['source', 'build', 'scan', 'approve', 'deploy', 'run'] as const;

type LinkName = (typeof CUSTODY_LINKS)[number];

export const custodyLink = (step: CustodyStepName): LinkName | undefined =>
  CUSTODY_LINKS.find((link) => link === step.toLowerCase());

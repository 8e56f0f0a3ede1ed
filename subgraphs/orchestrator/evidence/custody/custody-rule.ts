import type { CustodyStep, CustodyStepName, Evidence } from './chain.ts';
import { chainOfImages } from './image-links.ts';
import { weakest } from './link.ts';
import { approveLinks, deployLinks, runLinks, type StatementLinks, scanLinks } from './statement-links.ts';

const stepOf = (step: CustodyStepName, { links, statements, nothing }: StatementLinks): CustodyStep => ({
  step,
  ...weakest(links, nothing),
  statements,
});

const imageStep = (step: 'source' | 'build', evidence: Evidence): CustodyStep => {
  const { links, statements } = chainOfImages(step, evidence);
  return { step, ...weakest(links, 'the release has no images whose digests are fixed'), statements };
};

/** Computes the six steps of the custody chain (spec 6.5; docs/decisions/018-custody-link-states.md). */
export const custodyOf = (evidence: Evidence): readonly CustodyStep[] => [
  imageStep('source', evidence),
  imageStep('build', evidence),
  stepOf('scan', scanLinks(evidence)),
  stepOf('approve', approveLinks(evidence)),
  stepOf('deploy', deployLinks(evidence)),
  stepOf('run', runLinks(evidence)),
];

import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps, EvidenceRequirement, ReleaseDirectory, ReleaseImage } from '@landfall/kernel/module';
import Type from 'typebox';
import { EVIDENCE_ASSESS } from '../shared/scopes.ts';
import * as store from './completeness.store.ts';

/** Releases that one request assesses. */
const MAX_RELEASES = 200;

type State = 'missing' | 'unverified' | 'expired' | 'present';

const WORST_FIRST: readonly State[] = ['missing', 'unverified', 'expired', 'present'];

/** Assessment of one requirement: the worst of all images of a release. */
export interface EvidenceAssessment extends EvidenceRequirement {
  readonly state: State;
  /** Artifact of the image that decides the state; null where it is missing. */
  readonly artifactId: store.FoundEvidence['artifactId'] | null;
  /** Components whose image lacks it as required. */
  readonly components: readonly string[];
}

/** Assessment of a release by the requirements of an environment. */
export interface EvidenceCompleteness {
  readonly releaseId: string;
  readonly environmentId: string;
  readonly requirements: readonly EvidenceAssessment[];
}

/** Assesses one requirement by the best evidence of each component. A release without images lacks everything. */
const assess = (
  requirement: EvidenceRequirement,
  components: readonly string[],
  found: readonly store.FoundEvidence[],
): EvidenceAssessment => {
  const states = components.map((component) => {
    const best = found.find((each) => each.component === component);
    return { component, state: best?.state ?? ('missing' as const), artifactId: best?.artifactId ?? null };
  });
  const worst = WORST_FIRST.flatMap((state) => states.find((each) => each.state === state) ?? [])[0];
  const lacking = states.filter(({ state }) => state !== 'present').map(({ component }) => component);
  return {
    ...requirement,
    state: worst?.state ?? 'missing',
    artifactId: worst?.artifactId ?? null,
    components: lacking,
  };
};

const componentsOf = (images: readonly ReleaseImage[], releaseId: string): readonly string[] => [
  ...new Set(images.flatMap((image) => (image.releaseId === releaseId ? [image.component] : []))),
];

interface CompletenessDeps extends Pick<Deps, 'operation'> {
  readonly releases: ReleaseDirectory;
}

/** Creates the assessment of releases by the evidence that an environment requires. */
export const createCompleteness = ({ operation, releases }: CompletenessDeps) => ({
  /** Assessments of some releases in their order, for loaders. */
  assess: operation({
    name: 'release.assessEvidence',
    kind: 'read',
    scope: EVIDENCE_ASSESS,
    input: Type.Object({
      environmentId: idOf('Environment'),
      releaseIds: Type.Array(idOf('Release'), { maxItems: MAX_RELEASES }),
    }),
    raises: ['RES_NOT_FOUND'],
    example: { environmentId: exampleId('Environment'), releaseIds: [exampleId('Release')] },
    async run({ tenant }, { environmentId, releaseIds }, query): Promise<readonly EvidenceCompleteness[]> {
      const requirements = await releases.requirementsOf(query, tenant, environmentId);
      if (!requirements)
        throw new Fault('RES_NOT_FOUND', `There is no environment ${environmentId}.`, { id: environmentId });
      const images = await releases.listImages(query, tenant, releaseIds);
      const found = await store.listBest(query, tenant, images, requirements);
      return releaseIds.map((releaseId) => ({
        releaseId,
        environmentId,
        requirements: requirements.map((requirement, index) => {
          const own = found.filter((each) => each.releaseId === releaseId && each.requirement === index);
          return assess(requirement, componentsOf(images, releaseId), own);
        }),
      }));
    },
  }),
});

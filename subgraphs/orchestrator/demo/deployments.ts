import type { GraphSession } from '@landfall/kernel/demo/chapter';
import { runAction, until } from '@landfall/kernel/demo/graph-action';
import Type, { type Static } from 'typebox';
import { repositories } from './images.ts';

interface Registry {
  readonly origin: string;
  repository(name: string): string;
}

export interface Environment {
  readonly id: string;
  readonly name: string;
}

const Id = Type.Object({ id: Type.String() });
const Versioned = Type.Object({ id: Type.String(), version: Type.Integer() });
const Outcome = Type.Object({
  status: Type.Enum([
    'QUEUED',
    'PREFLIGHT',
    'PLANNING',
    'IN_PROGRESS',
    'PAUSED',
    'VERIFYING',
    'COMPLETED',
    'FAILED',
    'CANCELLING',
    'CANCELLED',
    'ROLLBACK_IN_PROGRESS',
    'ROLLED_BACK',
    'ROLLBACK_FAILED',
  ]),
  landingVerification: Type.Union([Type.String(), Type.Null()]),
  failureReason: Type.Union([Type.String(), Type.Null()]),
});
const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'ROLLED_BACK', 'ROLLBACK_FAILED']);

interface Draft {
  readonly name: string;
  readonly semver: string;
  readonly notes: string;
  readonly components: readonly object[];
}

export const createRelease = (author: GraphSession, draft: Draft) =>
  runAction(author, { mutation: 'createRelease', key: `${draft.name}-${draft.semver}`, input: draft }, Versioned);

export const makeReady = async (author: GraphSession, draft: Draft): Promise<string> => {
  const key = `${draft.name}-${draft.semver}`;
  const { id, version } = await createRelease(author, draft);
  const finalize = { mutation: 'finalizeRelease', key, input: { id, expectedVersion: version } };
  const finalized = await runAction(author, finalize, Versioned);
  await runAction(author, { mutation: 'markReleaseReady', key, input: { id, expectedVersion: finalized.version } }, Id);
  return id;
};

/** Builds the input of a shop release, with each component by its tag. */
export const shop = (
  { repository }: Registry,
  semver: string,
  tags: Readonly<{ web: string; api: string }>,
  notes: string,
): Draft => ({
  name: 'shop',
  semver,
  notes,
  components: [
    { name: 'api', repository: repository(repositories.api), tag: tags.api },
    { name: 'web', repository: repository(repositories.web), tag: tags.web, dependsOn: ['api'] },
  ],
});

export interface PromotionRequest {
  readonly releaseId: string;
  readonly to: Environment;
  readonly reason: string;
  readonly approvers: readonly GraphSession[];
}

/** Requests a promotion and approves the digests that were shown to the approvers. */
export const promote = async (
  manager: GraphSession,
  { releaseId, to, reason, approvers }: PromotionRequest,
): Promise<string> => {
  const key = `${releaseId}-${to.name}`;
  const shape = Type.Object({ id: Type.String(), gatedDigestSet: Type.String() });
  const input = { releaseId, targetEnvironmentId: to.id, reason };
  const { id, gatedDigestSet } = await runAction(manager, { mutation: 'requestPromotion', key, input }, shape);
  for (const approver of approvers)
    await runAction(
      approver,
      { mutation: 'approvePromotion', key, input: { id, seenGatedDigestSet: gatedDigestSet } },
      Id,
    );
  return id;
};

type Status = Static<typeof Outcome>['status'];

/** Waits until a deployment is in one of these states; throws an Error when it ends in another. */
export const reach = async (
  session: GraphSession,
  id: string,
  ...requested: readonly Status[]
): Promise<Static<typeof Outcome>> =>
  until(`deployment ${id}`, async () => {
    const document = 'query ($id: ID!) { deployment(id: $id) { status landingVerification failureReason } }';
    const { deployment } = await session.ask(document, { id }, Type.Object({ deployment: Outcome }));
    if (requested.includes(deployment.status)) return deployment;
    if (ENDED.has(deployment.status))
      throw new Error(`Deployment ${id} ended ${deployment.status}, not ${requested}: ${deployment.failureReason}`);
    return undefined;
  });

/** Launches a promotion, by default with the environment's strategy, and returns the deployment's id. */
export const launch = async (
  manager: GraphSession,
  promotion: PromotionRequest,
  strategy?: 'CANARY',
): Promise<string> => {
  const promotionId = await promote(manager, promotion);
  const input = { promotionId, strategy };
  const { id } = await runAction(manager, { mutation: 'launchDeployment', key: promotionId, input }, Id);
  return id;
};

/** Deploys a release and waits for the end; throws an Error when it ends in another state than expected. */
export const deploy = async (
  manager: GraphSession,
  promotion: PromotionRequest,
  expected: 'VERIFIED' | 'FAILED',
): Promise<string> => {
  const id = await launch(manager, promotion);
  if (expected === 'FAILED') await reach(manager, id, 'FAILED');
  else await land(manager, id);
  return id;
};

/**
 * Waits until the landing of a deployment is verified: the observed digests equal the approved ones. Where an interrupted
 * demo continues, the deployment may be rolled back already.
 */
export const land = async (session: GraphSession, id: string): Promise<void> => {
  const { landingVerification } = await reach(session, id, 'COMPLETED', 'ROLLED_BACK');
  if (landingVerification !== 'VERIFIED') throw new Error(`Deployment ${id} landed ${landingVerification}.`);
};

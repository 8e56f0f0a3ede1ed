import type { ReleaseHistoryFragment } from '../../generated/operations.ts';
import { counts } from '../../lib/tally.ts';
import type { Look } from '../../ui/Mark.tsx';
import { t } from './words.ts';

/** One thing that happened to a release. */
export type Happening = {
  readonly key: string;
  readonly at: string;
  readonly look: Look;
  readonly what: string;
  readonly who: string | undefined;
  readonly quote: string | undefined;
};

type Promotion = ReleaseHistoryFragment['promotions'][number];
type Deployment = NonNullable<Promotion['deployment']>;

/** What the trail says of the release itself; its changes while a draft are not told one by one. */
const OWN = {
  'release.create': { shape: 'queued', tone: 'muted' },
  'release.finalize': { shape: 'signed', tone: 'unknown' },
  'release.evidence': { shape: 'signed', tone: 'unknown' },
  'release.ready': { shape: 'verified', tone: 'good' },
  'release.hold': { shape: 'held', tone: 'attention' },
  'release.clearHold': { shape: 'queued', tone: 'muted' },
  'release.deprecate': { shape: 'missing', tone: 'muted' },
} as const satisfies Readonly<Record<string, Look>>;

const isOwn = (type: string): type is keyof typeof OWN => Object.hasOwn(OWN, type);

/** What happened to a release, newest first. */
export function historyOf({ history, promotions }: ReleaseHistoryFragment): Happening[] {
  // The trail is told oldest first, so that of two things at one instant the later one stays above.
  const own = history.flatMap(({ type, at, actor }): Happening[] =>
    isOwn(type)
      ? [
          {
            key: `${type} ${at}`,
            at,
            look: OWN[type],
            what: t(`history.${type}`),
            who: actor.displayName,
            quote: undefined,
          },
        ]
      : [],
  );
  return [...own, ...promotions.flatMap(ofPromotion)].reverse().sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

function ofPromotion(promotion: Promotion): Happening[] {
  const { id, createdAt, reason, requestedBy, targetEnvironment, approvals, deployment } = promotion;
  const where = targetEnvironment.name;
  return [
    {
      key: id,
      at: createdAt,
      look: { shape: 'held', tone: 'waiting' },
      what: t('history.asked', { where }),
      who: requestedBy.displayName,
      quote: reason,
    },
    ...approvals.map(({ decision, at, actor, comment }): Happening => {
      const approved = decision === 'APPROVED';
      return {
        key: `${id} ${actor.id}`,
        at,
        look: approved ? { shape: 'verified', tone: 'good' } : { shape: 'failed', tone: 'bad' },
        what: t(approved ? 'history.approved' : 'history.rejected', { where }),
        who: actor.displayName,
        quote: comment ?? undefined,
      };
    }),
    ...(deployment === null ? [] : ofDeployment(deployment, where)),
  ];
}

function ofDeployment(deployment: Deployment, where: string): Happening[] {
  const { id, createdAt, completedAt, launchedBy } = deployment;
  const launched: Happening = {
    key: id,
    at: createdAt,
    look: { shape: 'running', tone: 'running' },
    what: t('history.launched', { where }),
    who: launchedBy.displayName,
    quote: undefined,
  };
  return completedAt === null ? [launched] : [launched, ending(deployment, completedAt, where)];
}

function ending(
  { id, status, landingVerification, failureReason, reason, targets }: Deployment,
  at: string,
  where: string,
): Happening {
  const key = `${id} end`;
  if (status === 'CANCELLED') {
    const look: Look = { shape: 'missing', tone: 'muted' };
    return { key, at, look, what: t('history.cancelled', { where }), who: undefined, quote: reason ?? undefined };
  }
  if (status === 'ROLLED_BACK' || status === 'ROLLBACK_IN_PROGRESS') {
    const look: Look = { shape: 'back', tone: 'unknown' };
    return { key, at, look, what: t('history.rolledBack', { where }), who: undefined, quote: reason ?? undefined };
  }
  if (status === 'FAILED' || status === 'ROLLBACK_FAILED') {
    const look: Look = { shape: landingVerification === 'MISMATCH' ? 'mismatch' : 'failed', tone: 'bad' };
    return { key, at, look, what: t('history.failed', { where }), who: undefined, quote: failureReason ?? undefined };
  }
  const { verified, total } = counts(targets);
  const look: Look =
    verified === total ? { shape: 'verified', tone: 'good' } : { shape: 'unverified', tone: 'attention' };
  return {
    key,
    at,
    look,
    what: t('history.landed', { where, n: verified, of: total }),
    who: undefined,
    quote: undefined,
  };
}

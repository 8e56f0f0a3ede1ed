import type { ReleaseHistoryFragment } from '../../generated/operations.ts';
import { countTargets } from '../../lib/target-counts.ts';
import type { StateStyle } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';

/** One thing that happened to a release. */
export type HistoryEntry = {
  readonly key: string;
  readonly at: string;
  readonly look: StateStyle;
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
} as const satisfies Readonly<Record<string, StateStyle>>;

const isOwn = (type: string): type is keyof typeof OWN => Object.hasOwn(OWN, type);

/** What happened to a release, newest first. */
export function releaseHistory({ history, promotions }: ReleaseHistoryFragment): HistoryEntry[] {
  // The trail is told oldest first, so that of two things at one instant the later one stays above.
  const own = history.flatMap(({ type, at, actor }): HistoryEntry[] =>
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

function ofPromotion(promotion: Promotion): HistoryEntry[] {
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
    ...approvals.map(({ decision, at, actor, comment }): HistoryEntry => {
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

function ofDeployment(deployment: Deployment, where: string): HistoryEntry[] {
  const { id, createdAt, completedAt, launchedBy } = deployment;
  const launched: HistoryEntry = {
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
): HistoryEntry {
  const key = `${id} end`;
  if (status === 'CANCELLED') {
    const look: StateStyle = { shape: 'missing', tone: 'muted' };
    return { key, at, look, what: t('history.cancelled', { where }), who: undefined, quote: reason ?? undefined };
  }
  if (status === 'ROLLED_BACK' || status === 'ROLLBACK_IN_PROGRESS') {
    const look: StateStyle = { shape: 'back', tone: 'unknown' };
    return { key, at, look, what: t('history.rolledBack', { where }), who: undefined, quote: reason ?? undefined };
  }
  if (status === 'FAILED' || status === 'ROLLBACK_FAILED') {
    const look: StateStyle = { shape: landingVerification === 'MISMATCH' ? 'mismatch' : 'failed', tone: 'bad' };
    return { key, at, look, what: t('history.failed', { where }), who: undefined, quote: failureReason ?? undefined };
  }
  const { verified, total } = countTargets(targets);
  const look: StateStyle =
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

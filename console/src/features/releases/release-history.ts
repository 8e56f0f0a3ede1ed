import type { ReleaseHistoryFragment } from '../../generated/operations.ts';
import { countTargets } from '../../lib/target-counts.ts';
import type { StateStyle } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';

/** One thing that happened to a release. */
type HistoryEntry = {
  readonly key: string;
  readonly at: string;
  readonly look: StateStyle;
  readonly what: string;
  readonly who: string | undefined;
  readonly quote: string | undefined;
};

type Promotion = ReleaseHistoryFragment['promotions'][number];
type Deployment = NonNullable<Promotion['deployment']>;

/** Events of the release itself; changes of a draft are left out. */
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

/** History of a release, newest first. */
export function releaseHistory({ history, promotions }: ReleaseHistoryFragment): HistoryEntry[] {
  // The trail is oldest first, so that of two entries at one instant the later one stays above.
  const own = history.flatMap(({ type, at, actor }) =>
    isOwn(type) ? [entry(`${type} ${at}`, at, OWN[type], t(`history.${type}`), { who: actor.displayName })] : [],
  );
  return [...own, ...promotions.flatMap(ofPromotion)].reverse().sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** Entry of the history; `by` names the person and the reason. */
const entry = (
  key: string,
  at: string,
  look: StateStyle,
  what: string,
  by: { readonly who?: string; readonly quote?: string | null } = {},
): HistoryEntry => ({ key, at, look, what, who: by.who, quote: by.quote ?? undefined });

function ofPromotion(promotion: Promotion): HistoryEntry[] {
  const { id, createdAt, reason, requestedBy, targetEnvironment, approvals, deployment } = promotion;
  const where = targetEnvironment.name;
  return [
    entry(id, createdAt, { shape: 'held', tone: 'waiting' }, t('history.asked', { where }), {
      who: requestedBy.displayName,
      quote: reason,
    }),
    ...approvals.map(({ decision, at, actor, comment }) => {
      const approved = decision === 'APPROVED';
      const look: StateStyle = approved ? { shape: 'verified', tone: 'good' } : { shape: 'failed', tone: 'bad' };
      const what = t(approved ? 'history.approved' : 'history.rejected', { where });
      return entry(`${id} ${actor.id}`, at, look, what, { who: actor.displayName, quote: comment });
    }),
    ...(deployment === null ? [] : ofDeployment(deployment, where)),
  ];
}

function ofDeployment(deployment: Deployment, where: string): HistoryEntry[] {
  const { id, createdAt, completedAt, launchedBy } = deployment;
  const launched = entry(id, createdAt, { shape: 'running', tone: 'running' }, t('history.launched', { where }), {
    who: launchedBy.displayName,
  });
  return completedAt === null ? [launched] : [launched, completion(deployment, completedAt, where)];
}

function completion(
  { id, status, landingVerification, failureReason, reason, targets }: Deployment,
  at: string,
  where: string,
): HistoryEntry {
  const key = `${id} end`;
  if (status === 'CANCELLED')
    return entry(key, at, { shape: 'missing', tone: 'muted' }, t('history.cancelled', { where }), { quote: reason });
  if (status === 'ROLLED_BACK' || status === 'ROLLBACK_IN_PROGRESS')
    return entry(key, at, { shape: 'back', tone: 'unknown' }, t('history.rolledBack', { where }), { quote: reason });
  if (status === 'FAILED' || status === 'ROLLBACK_FAILED') {
    const shape = landingVerification === 'MISMATCH' ? 'mismatch' : 'failed';
    return entry(key, at, { shape, tone: 'bad' }, t('history.failed', { where }), { quote: failureReason });
  }
  const { verified, total } = countTargets(targets);
  const look: StateStyle =
    verified === total ? { shape: 'verified', tone: 'good' } : { shape: 'unverified', tone: 'attention' };
  return entry(key, at, look, t('history.landed', { where, n: verified, of: total }));
}

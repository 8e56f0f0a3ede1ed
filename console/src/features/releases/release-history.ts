import type { ReleaseHistoryFragment } from '../../generated/operations.ts';
import { countTargets } from '../../lib/target-counts.ts';
import type { Look } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';

type HistoryEntry = {
  readonly key: string;
  readonly at: string;
  readonly look: Look;
  readonly what: string;
  readonly who: string | undefined;
  readonly quote: string | undefined;
};

type Promotion = ReleaseHistoryFragment['promotions'][number];
type Deployment = NonNullable<Promotion['deployment']>;

/** Events of the release itself; changes of a draft are left out. */
const OWN = {
  'release.create': 'queued',
  'release.finalize': 'signed',
  'release.evidence': 'signed',
  'release.ready': 'verified',
  'release.hold': 'held-attention',
  'release.clearHold': 'queued',
  'release.deprecate': 'missing',
} as const satisfies Readonly<Record<string, Look>>;

const isOwn = (type: string): type is keyof typeof OWN => Object.hasOwn(OWN, type);

export function releaseHistory({ history, promotions }: ReleaseHistoryFragment): HistoryEntry[] {
  // The trail is oldest first, so that of two entries at one instant the later one stays above.
  const own = history.flatMap(({ type, at, actor }) =>
    isOwn(type) ? [entry(`${type} ${at}`, at, OWN[type], t(`history.${type}`), { who: actor.displayName })] : [],
  );
  return [...own, ...promotions.flatMap(ofPromotion)].reverse().sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

const entry = (
  key: string,
  at: string,
  look: Look,
  name: string,
  by: { readonly who?: string; readonly quote?: string | null } = {},
): HistoryEntry => ({ key, at, look, what: name, who: by.who, quote: by.quote ?? undefined });

function ofPromotion(promotion: Promotion): HistoryEntry[] {
  const { id, createdAt, reason, requestedBy, targetEnvironment, approvals, deployment } = promotion;
  const location = targetEnvironment.name;
  return [
    entry(id, createdAt, 'held', t('history.requested', { where: location }), {
      who: requestedBy.displayName,
      quote: reason,
    }),
    ...approvals.map(({ decision, at, actor, comment }) => {
      const approved = decision === 'APPROVED';
      const name = t(approved ? 'history.approved' : 'history.rejected', { where: location });
      return entry(`${id} ${actor.id}`, at, approved ? 'verified' : 'failed', name, {
        who: actor.displayName,
        quote: comment,
      });
    }),
    ...(deployment === null ? [] : ofDeployment(deployment, location)),
  ];
}

function ofDeployment(deployment: Deployment, location: string): HistoryEntry[] {
  const { id, createdAt, completedAt, launchedBy } = deployment;
  const launched = entry(id, createdAt, 'running', t('history.launched', { where: location }), {
    who: launchedBy.displayName,
  });
  return completedAt === null ? [launched] : [launched, completion(deployment, completedAt, location)];
}

function completion(
  { id, status, landingVerification, failureReason, reason, targets }: Deployment,
  at: string,
  location: string,
): HistoryEntry {
  const key = `${id} end`;
  if (status === 'CANCELLED')
    return entry(key, at, 'missing', t('history.cancelled', { where: location }), { quote: reason });
  if (status === 'ROLLED_BACK' || status === 'ROLLBACK_IN_PROGRESS')
    return entry(key, at, 'back', t('history.rolledBack', { where: location }), { quote: reason });
  if (status === 'FAILED' || status === 'ROLLBACK_FAILED') {
    const look = landingVerification === 'MISMATCH' ? 'mismatch' : 'failed';
    return entry(key, at, look, t('history.failed', { where: location }), { quote: failureReason });
  }
  const { verified, total } = countTargets(targets);
  const look = verified === total ? 'verified' : 'unverified';
  return entry(key, at, look, t('history.landed', { where: location, n: verified, of: total }));
}

import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  type PromotionApprovalsFragment,
  PromotionDetailDocument,
  type PromotionDetailQuery,
  PromotionPlanDocument,
  PromotionPreflightDocument,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { Comparison, type ComparisonState, usePromotionComparison } from '../../parts/Comparison.tsx';
import { CustodySummary } from '../../parts/CustodySummary.tsx';
import { EvidenceCompleteness } from '../../parts/EvidenceCompleteness.tsx';
import { ImageScans } from '../../parts/ImageScans.tsx';
import { Outcomes } from '../../parts/Outcomes.tsx';
import { TimeNotice } from '../../parts/TimeNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { releaseName } from '../../ui/EntityLink.tsx';
import { CheckIcon, PromotionLabel } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime, Time } from '../../ui/Time.tsx';
import { Decision } from './Decision.tsx';
import styles from './Inbox.module.css';
import { t } from './labels.ts';

type Props = { readonly id: string; readonly back: () => void; readonly decided: () => void };

/** Detail of a promotion: its author, its changes, its checks and its decisions so far. */
export function PromotionDetail({ id, back, decided }: Props) {
  const promotionQuery = useLiveQuery(PromotionDetailDocument, { id });
  return (
    <div>
      <div className={styles.back}>
        <Button size="small" weight="plain" onClick={back}>
          {t('inbox.back')}
        </Button>
      </div>
      <QueryResult
        of={promotionQuery}
        skeleton={<SkeletonRows rows={8} />}
        fault={t('inbox.fault.item')}
        gone={<EmptyState>{t('inbox.notFound')}</EmptyState>}
      >
        {({ promotion }) =>
          promotion === null ? (
            <EmptyState>{t('inbox.notFound')}</EmptyState>
          ) : (
            <Paper promotion={promotion} decided={decided} />
          )
        }
      </QueryResult>
    </div>
  );
}

type Promotion = NonNullable<PromotionDetailQuery['promotion']>;

function Paper({ promotion, decided }: { readonly promotion: Promotion; readonly decided: () => void }) {
  const { release, targetEnvironment, requestedBy, reason } = promotion;
  const navigate = useNavigate();
  const comparison = usePromotionComparison(promotion.id);
  const ids = { releaseId: release.id, environmentId: targetEnvironment.id };
  const plan = useLiveQuery(PromotionPlanDocument, ids, ['Target', 'Environment']);
  useCommands([
    {
      id: 'inbox.open',
      keys: 'o',
      title: t('inbox.open'),
      run: () => void navigate({ to: '/releases/$id', params: { id: release.id } }),
    },
  ]);
  return (
    <article>
      <div className={styles.title}>
        <h2>
          <Link look="name" to="/releases/$id" params={{ id: release.id }}>
            {t('promotion.summary', { what: `${release.name} ${release.semver}`, where: targetEnvironment.name })}
          </Link>
        </h2>
        <PromotionLabel state={promotion.state} />
      </div>
      <p className="soft">
        {t('inbox.requestedBy', { who: requestedBy.displayName })}{' '}
        <RelativeTime at={promotion.createdAt} as="relative" />.{' '}
        {replaces(comparison, plan.data?.strategyPlan.targetCount)}
      </p>
      <blockquote className={styles.quote}>{reason}</blockquote>
      <div className={styles.notice}>
        <TimeNotice />
      </div>
      <div className={styles.verbs}>
        <Decision promotion={promotion} decided={decided} />
      </div>
      <Outcomes outcomes={release.outcomes} />
      <Comparison of={comparison} />
      <div className={styles.two}>
        <Checks {...ids} />
        <Decided promotion={promotion} set={promotion.gatedDigestSet} />
      </div>
      <EvidenceOf release={release} />
      <EvidenceCompleteness {...ids} />
      <ImageScans components={release.components} />
      <CustodySummary releaseId={release.id} />
    </article>
  );
}

/** Release of the same product that it replaces there, and the number of targets; empty until they are known. */
function replaces({ data: comparison }: ComparisonState, n: number | undefined): string {
  if (comparison === undefined) return '';
  const { from, to } = comparison;
  const targets = n === undefined ? '' : ` ${t('inbox.targets', { n })}`;
  if (from.release === null) return t('inbox.firstRelease', { what: to.product.name }) + targets;
  return t('inbox.replaces', { what: releaseName(from.release) }) + targets;
}

function Checks({ releaseId, environmentId }: { readonly releaseId: string; readonly environmentId: string }) {
  const preflight = useLiveQuery(PromotionPreflightDocument, { releaseId, environmentId });
  return (
    <Section title={t('preflight.title')}>
      <QueryResult of={preflight} skeleton={<SkeletonRows rows={4} />} fault={t('preflight.fault')}>
        {({ preflight: { checks } }) => (
          <ul className={styles.checks}>
            {checks.map(({ key, title, status, detail }) => (
              <li key={key}>
                <CheckIcon status={status} />
                <span>
                  {title}
                  <span className="quiet"> {t(`check.${status}`)}</span>
                </span>
                <p>{detail}</p>
              </li>
            ))}
          </ul>
        )}
      </QueryResult>
    </Section>
  );
}

/** Decisions so far, and the digest set they are bound to. */
function Decided({ promotion, set }: { readonly promotion: PromotionApprovalsFragment; readonly set: string }) {
  const { approvals, approvalsNeeded } = promotion;
  const approved = approvals.filter(({ decision }) => decision === 'APPROVED').length;
  return (
    <Section title={t('approvals.title')} count={t('of', { n: approved, of: approvalsNeeded })}>
      {approvals.length === 0 && <EmptyState>{t('approvals.none')}</EmptyState>}
      <ul className={styles.checks}>
        {approvals.map(({ decision, comment, at, actor }) => (
          <li key={actor.id}>
            <CheckIcon status={decision === 'APPROVED' ? 'PASS' : 'FAIL'} />
            <span>{t(`decision.${decision}`, { who: actor.displayName })}</span>
            <p>
              <Time at={at} /> {comment}
            </p>
          </li>
        ))}
      </ul>
      <p className="row small quiet" style={{ paddingBlock: 8 }}>
        {t('approvals.bound')} <Digest value={set} />
      </p>
    </Section>
  );
}

function EvidenceOf({ release }: { readonly release: Promotion['release'] }) {
  const { evidence, missingEvidence } = release;
  if (evidence.length === 0 && missingEvidence.length === 0) return null;
  const marks: ReactNode[] = [
    ...missingEvidence.map((type) => (
      <StateLabel key={type} look="missing-attention">
        {t('evidence.missing', { type: t(`evidence.${type}`) })}
      </StateLabel>
    )),
    ...evidence.map(({ type, digest }) => (
      <span key={digest} className="row">
        <StateLabel look="signed">{t(`evidence.${type}`)}</StateLabel>
        <Digest value={digest} />
      </span>
    )),
  ];
  return (
    <Section title={t('evidence.title')} count={count(evidence.length)}>
      <p className="row" style={{ flexWrap: 'wrap', gap: 16, paddingBlock: 8 }}>
        {marks}
      </p>
    </Section>
  );
}

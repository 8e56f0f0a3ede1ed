import { useState } from 'react';
import type { PromotionPathFragment } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { targetCountText } from '../../lib/target-count-text.ts';
import { countTargets, meterSegments } from '../../lib/target-counts.ts';
import { CancelPromotion, useCancelCommands } from '../../parts/CancelPromotion.tsx';
import { PathGraph } from '../../parts/PathGraph.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { EnvironmentLink } from '../../ui/EntityLink.tsx';
import { DeploymentStatusLabel, PromotionLabel, VerdictLabel } from '../../ui/EntityStates.tsx';
import { Link, LinkButton } from '../../ui/Link.tsx';
import { Meter } from '../../ui/Phases.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { ShapeIcon, StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import styles from './PromotionPath.module.css';
import { RequestPromotion } from './RequestPromotion.tsx';

type Stop = PromotionPathFragment['landscape'][number];

/** Least width of a stop in pixels, with the edges beside it. */
const STOP_WIDTH = 268;

/** Path of the release's product as a graph: in each environment its state, its approvals and the next action. */
export function PromotionPath({ release }: { readonly release: PromotionPathFragment }) {
  const { landscape, product } = release;
  const [asking, ask] = useState<Stop>();
  const [leaving, leave] = useState<Stop>();
  const next = nextOf(landscape);
  const before = new Map(
    product.path.map(({ environment, directlyAfter }) => [environment.id, directlyAfter.map(({ id }) => id)]),
  );
  useCommands(
    next === undefined
      ? []
      : [{ id: 'promote', keys: 'p', title: t('promote.to', { where: next.environment.name }), run: () => ask(next) }],
  );
  useCancelCommands(
    landscape.flatMap(({ promotion, environment: targetEnvironment }) =>
      promotion?.viewerCanCancel.allowed ? [{ id: promotion.id, release, targetEnvironment }] : [],
    ),
    (id) => leave(landscape.find(({ promotion }) => promotion?.id === id)),
  );
  const runs = landscape.filter(({ isCurrent }) => isCurrent).length;
  return (
    <Section title={t('promotionPath.title')} count={t('promotionPath.count', { n: runs, of: landscape.length })} bare>
      {landscape.length === 0 && (
        <EmptyState>{t(product.removedAt === null ? 'environments.empty' : 'product.removed.path')}</EmptyState>
      )}
      {landscape.length > 0 && (
        <PathGraph
          columnWidth={STOP_WIDTH}
          steps={landscape.map((stop) => ({
            id: stop.environment.id,
            after: before.get(stop.environment.id) ?? [],
            look: lookOf(stop),
            content: (
              <StopContent
                stop={stop}
                releaseId={release.id}
                primary={stop === next}
                ask={() => ask(stop)}
                leave={() => leave(stop)}
              />
            ),
          }))}
        />
      )}
      {asking !== undefined && (
        <RequestPromotion
          releaseId={release.id}
          environment={asking.environment}
          approvals={asking.requiredApprovals}
          close={() => ask(undefined)}
        />
      )}
      {leaving?.promotion && (
        <CancelPromotion
          promotion={{ id: leaving.promotion.id, release, targetEnvironment: leaving.environment }}
          close={() => leave(undefined)}
        />
      )}
    </Section>
  );
}

const STOPPED: ReadonlySet<string> = new Set(['REJECTED', 'CANCELLED', 'FAILED']);

/**
 * Next environment to request: the first that was never requested, else the first where the promotion was stopped.
 */
function nextOf(landscape: readonly Stop[]): Stop | undefined {
  const allowed = landscape.filter(({ viewerCanRequest }) => viewerCanRequest.allowed);
  return (
    allowed.find(({ promotion }) => promotion === null) ??
    allowed.find(({ promotion }) => promotion !== null && STOPPED.has(promotion.state))
  );
}

type StopProps = {
  readonly stop: Stop;
  readonly releaseId: string;
  /** Whether the request is the release's next step. */
  readonly primary: boolean;
  readonly ask: () => void;
  readonly leave: () => void;
};

/** Look of a stop: running while it is being deployed to, quiet until it is requested. */
const lookOf = ({ promotion }: Stop) =>
  promotion?.state === 'DEPLOYING' ? 'running' : promotion === null ? 'quiet' : 'normal';

function StopContent(props: StopProps) {
  const { stop } = props;
  const { environment, deployment } = stop;
  const earlier = landedEarlier(stop);
  const tally = countTargets(deployment?.targets ?? []);
  const text = deployment === null ? t('promotionPath.nothing') : targetCountText(tally);
  return (
    <div className={styles.stop}>
      <div className={styles.top}>
        <h3>
          <EnvironmentLink environment={environment} />
        </h3>
        <State stop={stop} />
      </div>
      {/* What runs no more fills no bar. */}
      <Meter tally={meterSegments(earlier ? countTargets([]) : tally)} label={text} />
      <p className="soft small">{earlier ? t('promotionPath.then', { tally: text }) : text}</p>
      {deployment?.completedAt && (
        <p className="quiet small">
          {t('promotionPath.landed')} <RelativeTime at={deployment.completedAt} as="relative" />
        </p>
      )}
      <Approvals stop={stop} />
      <StopVerbs {...props} />
    </div>
  );
}

/** Actions on the release in an environment, by how far it has come there. */
function StopVerbs({ stop, releaseId, primary, ask, leave }: StopProps) {
  const { environment, promotion, deployment, isCurrent, viewerCanRequest } = stop;
  return (
    <p className={styles.verbs}>
      {isCurrent && <Badge tone="good">{t('promotionPath.current')}</Badge>}
      {deployment !== null && (
        <Link className="small" to="/deployments/$id" params={{ id: deployment.id }}>
          {t('deployment.open')}
        </Link>
      )}
      {promotion?.state === 'PENDING' && (
        <Link className="small" to="/inbox" search={{ item: promotion.id }}>
          {t('promotionPath.review')}
        </Link>
      )}
      {promotion?.state === 'APPROVED' && (
        <LinkButton
          size="small"
          weight="primary"
          to="/releases/$id/deploy"
          params={{ id: releaseId }}
          search={{ env: environment.id }}
        >
          {t('today.action.deploy')}
        </LinkButton>
      )}
      {promotion?.viewerCanCancel.allowed && (
        <Button size="small" weight="plain" onClick={leave}>
          {t('promotion.cancel')}
        </Button>
      )}
      {viewerCanRequest.allowed && (
        <Button size="small" weight={primary ? 'primary' : 'plain'} onClick={ask}>
          {t(promotion === null ? 'promote.verb' : 'promote.again')}
        </Button>
      )}
      {promotion === null && !viewerCanRequest.allowed && (
        <span className="small quiet">{viewerCanRequest.reason}</span>
      )}
    </p>
  );
}

/** Whether the release landed here and another one replaced it. */
const landedEarlier = ({ deployment, isCurrent }: Stop): boolean => deployment?.status === 'COMPLETED' && !isCurrent;

/** State of the release in an environment: its landing once there is one, its promotion before. */
function State({ stop }: { readonly stop: Stop }) {
  const { promotion, deployment } = stop;
  if (deployment !== null && promotion?.state !== 'PENDING' && promotion?.state !== 'APPROVED') {
    if (landedEarlier(stop)) {
      return <StateLabel look="signed-muted">{t('promotionPath.earlier')}</StateLabel>;
    }
    if (deployment.status === 'COMPLETED') return <VerdictLabel verdict={deployment.landingVerification} />;
    return <DeploymentStatusLabel status={deployment.status} landing={deployment.landingVerification} />;
  }
  if (promotion !== null) return <PromotionLabel state={promotion.state} />;
  return <StateLabel look="queued">{t('promotionPath.notRequested')}</StateLabel>;
}

/** Approvals of a stop: how many there are of those that its step needs. */
function Approvals({ stop: { promotion, requiredApprovals } }: { readonly stop: Stop }) {
  const needed = promotion?.approvalsNeeded ?? requiredApprovals;
  const have = promotion?.approvals.filter(({ decision }) => decision === 'APPROVED').length ?? 0;
  const open = promotion !== null && have >= needed && promotion.state !== 'PENDING';
  return (
    <p className={styles.approvals}>
      <ShapeIcon look={open ? 'verified' : promotion?.state === 'PENDING' ? 'held' : 'held-muted'} />
      {needed === 0 ? t('gate.noApproval') : t('promotionPath.approvals', { n: have, of: needed })}
    </p>
  );
}

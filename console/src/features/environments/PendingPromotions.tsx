import { useState } from 'react';
import type { WaitingPromotionFragment } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { count } from '../../lib/i18n.ts';
import { CancelPromotion } from '../../parts/CancelPromotion.tsx';
import { Button } from '../../ui/Button.tsx';
import { PromotionLabel } from '../../ui/EntityStates.tsx';
import { Link, LinkButton } from '../../ui/Link.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Table } from '../../ui/Table.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

/** What wants to come here: promotions that wait for approval, and those that wait for a launch. */
export function PendingPromotions({ promotions }: { readonly promotions: readonly WaitingPromotionFragment[] }) {
  const [asked, ask] = useState<string>();
  const cancelled = promotions.find(({ id }) => id === asked);
  useCommands(
    promotions
      .filter(({ viewerCanCancel }) => viewerCanCancel.allowed)
      .map(({ id, release, targetEnvironment }) => ({
        id: `cancel.${id}`,
        group: 'act',
        title: t('promotion.cancel.title', {
          what: `${release.name} ${release.semver}`,
          where: targetEnvironment.name,
        }),
        run: () => ask(id),
      })),
  );
  return (
    <Section title={t('waiting.title')} count={count(promotions.length)}>
      {promotions.length === 0 ? (
        <EmptyState>{t('waiting.none')}</EmptyState>
      ) : (
        <Table
          label={t('waiting.title')}
          list
          labelled
          head={[
            { name: t('waiting.release') },
            { name: t('waiting.state') },
            { name: t('waiting.approvals') },
            { name: t('waiting.why') },
            { name: t('waiting.age') },
            { name: t('waiting.verbs'), hidden: true },
          ]}
        >
          {promotions.map((promotion) => (
            <Row key={promotion.id} promotion={promotion} cancel={() => ask(promotion.id)} />
          ))}
        </Table>
      )}
      {cancelled && <CancelPromotion promotion={cancelled} close={() => ask(undefined)} />}
    </Section>
  );
}

function Row({
  promotion: { id, state, reason, createdAt, approvals, approvalsNeeded, requestedBy, release, ...rest },
  cancel,
}: {
  readonly promotion: WaitingPromotionFragment;
  readonly cancel: () => void;
}) {
  const have = approvals.filter(({ decision }) => decision === 'APPROVED').length;
  return (
    <tr>
      <th scope="row">
        <Link look="name" to="/releases/$id" params={{ id: release.id }}>
          {release.name} {release.semver}
        </Link>
      </th>
      <td data-label={t('waiting.state')}>
        <PromotionLabel state={state} />
      </td>
      <td data-label={t('waiting.approvals')}>{t('of', { n: have, of: approvalsNeeded })}</td>
      <td data-label={t('waiting.why')} className="breaks">
        {t('today.why.waiting', { who: requestedBy.displayName, reason })}
      </td>
      <td data-label={t('waiting.age')}>
        <RelativeTime at={createdAt} />
      </td>
      <td className="num">
        <span>
          {rest.viewerCanCancel.allowed && (
            <Button size="small" weight="plain" onClick={cancel}>
              {t('promotion.cancel')}
            </Button>
          )}{' '}
          {state === 'PENDING' ? (
            <LinkButton size="small" to="/inbox" search={{ item: id }}>
              {t('today.verb.review')}
            </LinkButton>
          ) : (
            <LinkButton
              size="small"
              to="/releases/$id/deploy"
              params={{ id: release.id }}
              search={{ env: rest.targetEnvironment.id }}
            >
              {t('today.verb.deploy')}
            </LinkButton>
          )}
        </span>
      </td>
    </tr>
  );
}

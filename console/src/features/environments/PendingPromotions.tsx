import { useState } from 'react';
import type { WaitingPromotionFragment } from '../../generated/operations.ts';
import { CancelPromotion, useCancelCommands } from '../../parts/CancelPromotion.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ReleaseLink } from '../../ui/EntityLink.tsx';
import { PromotionLabel } from '../../ui/EntityStates.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

/** Pending promotions: those that wait for approval, and those that wait for a launch. */
export function PendingPromotions({ promotions }: { readonly promotions: readonly WaitingPromotionFragment[] }) {
  const [dialog, setDialog] = useState<string>();
  const cancelled = promotions.find(({ id }) => id === dialog);
  useCancelCommands(
    promotions.filter(({ viewerCanCancel }) => viewerCanCancel.allowed),
    setDialog,
  );
  return (
    <TableSection
      title={t('waiting.title')}
      empty={t('waiting.none')}
      labelled
      rows={promotions}
      columns={columns(setDialog)}
    >
      {cancelled && <CancelPromotion promotion={cancelled} close={() => setDialog(undefined)} />}
    </TableSection>
  );
}

const columns = (cancel: (id: string) => void): Column<WaitingPromotionFragment>[] => [
  { name: t('waiting.release'), cell: ({ release }) => <ReleaseLink release={release} /> },
  { name: t('waiting.state'), cell: ({ state }) => <PromotionLabel state={state} /> },
  {
    name: t('waiting.approvals'),
    cell: ({ approvals, approvalsNeeded }) =>
      t('of', { n: approvals.filter(({ decision }) => decision === 'APPROVED').length, of: approvalsNeeded }),
  },
  {
    name: t('waiting.why'),
    className: 'breaks',
    cell: ({ requestedBy, reason }) => t('today.reason.waiting', { who: requestedBy.displayName, reason }),
  },
  { name: t('waiting.age'), cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  actionsColumn(({ id, state, release, targetEnvironment, viewerCanCancel }) => (
    <span>
      {viewerCanCancel.allowed && (
        <Button size="small" weight="plain" onClick={() => cancel(id)}>
          {t('promotion.cancel')}
        </Button>
      )}{' '}
      {state === 'PENDING' ? (
        <LinkButton size="small" to="/inbox" search={{ item: id }}>
          {t('today.action.review')}
        </LinkButton>
      ) : (
        <LinkButton
          size="small"
          to="/releases/$id/deploy"
          params={{ id: release.id }}
          search={{ env: targetEnvironment.id }}
        >
          {t('today.action.deploy')}
        </LinkButton>
      )}
    </span>
  )),
];

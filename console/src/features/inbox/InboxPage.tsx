import { getRouteApi } from '@tanstack/react-router';
import { InboxDocument, type InboxItemFragment } from '../../generated/operations.ts';
import { useCursor } from '../../lib/cursor.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { usePhone } from '../../lib/viewport.ts';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { EmptyState, QueryResult, SkeletonPage } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { PlainRelativeTime } from '../../ui/Time.tsx';
import styles from './Inbox.module.css';
import { t } from './labels.ts';
import { PromotionDetail } from './PromotionDetail.tsx';

const route = getRouteApi('/inbox');

export function InboxPage() {
  const inbox = useLiveQuery(InboxDocument, {}, ['Promotion']);
  return (
    <QueryResult of={inbox} skeleton={<SkeletonPage />} fault={t('inbox.fault')}>
      {({ approvalInbox: { edges, pageInfo } }) => (
        <Inbox items={edges.map(({ node }) => node)} more={pageInfo.hasNextPage} />
      )}
    </QueryResult>
  );
}

function Inbox({ items, more }: { readonly items: readonly InboxItemFragment[]; readonly more: boolean }) {
  const { item } = route.useSearch();
  const navigate = route.useNavigate();
  const phone = usePhone();
  const select = (id: string | undefined) =>
    void navigate({ search: id === undefined ? {} : { item: id }, replace: true });

  const own = items.filter(({ viewerCanApprove }) => viewerCanApprove.allowed).length;
  // On a wide page there is always one open; on a phone the list comes first. An item that is decided stays in sight.
  const open = item ?? (phone ? undefined : items[0]?.id);
  const next = items[items.findIndex(({ id }) => id === open) + 1]?.id;

  return (
    <>
      <PageHead
        title={t('inbox.title')}
        tab={items.length === 0 ? t('inbox.title') : t('inbox.tab', { n: items.length })}
      >
        {items.length === 0 ? t('inbox.lead.none') : t('inbox.lead', { n: items.length, mine: own })}
      </PageHead>
      <div className={styles.inbox} data-open={open !== undefined}>
        <div className={styles.list}>
          <Section title={t('inbox.waiting')} count={count(items.length)}>
            {items.length === 0 && (
              <EmptyState mark={<StateLabel look="verified">{t('today.nothing')}</StateLabel>}>
                {t('inbox.empty')}
              </EmptyState>
            )}
            <Items items={items} open={open} select={select} />
            {more && <EmptyState>{t('inbox.more')}</EmptyState>}
          </Section>
        </div>
        {open !== undefined && (
          <PromotionDetail
            key={open}
            id={open}
            back={() => select(undefined)}
            decided={() => next !== undefined && select(next)}
          />
        )}
      </div>
    </>
  );
}

type ItemsProps = {
  readonly items: readonly InboxItemFragment[];
  readonly open: string | undefined;
  readonly select: (id: string) => void;
};

function Items({ items, open, select }: ItemsProps) {
  // The cursor is the selection here: moving it opens the next promotion.
  const cursor = useCursor(
    items.map(({ id }) => id),
    undefined,
    { id: open, choose: select },
  );
  return (
    <ul className={styles.items}>
      {items.map((item) => (
        <li key={item.id} className="pressable" {...cursor.row(item.id)}>
          <Link look="bare" to="/inbox" search={{ item: item.id }} data-open="" className={styles.item}>
            <span className="row">
              <StateLabel look={item.viewerCanApprove.allowed ? 'held' : 'held-muted'}>
                {t('of', { n: approved(item), of: item.approvalsNeeded })}
              </StateLabel>
              <b className="clip">
                {item.release.name} {item.release.semver}
              </b>
              <span className="soft clip">{t('queue.to', { where: item.targetEnvironment.name })}</span>
            </span>
            <span className="small quiet">
              {t('inbox.requestedBy', { who: item.requestedBy.displayName })} <PlainRelativeTime at={item.createdAt} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const approved = ({ approvals }: InboxItemFragment): number =>
  approvals.filter(({ decision }) => decision === 'APPROVED').length;

import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { AuditTrailDocument } from '../../generated/operations.ts';
import { onChanges } from '../../lib/change-listeners.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { hasScope } from '../../lib/session.ts';
import { usePageView } from '../../lib/url-state.ts';
import { SaveView } from '../../parts/SaveView.tsx';
import { Button, Chip } from '../../ui/Button.tsx';
import { Filters, TextFilter } from '../../ui/Filters.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { AuditTable } from './AuditTable.tsx';
import { ExportButton } from './ExportButton.tsx';
import { FilterDialog } from './FilterDialog.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/audit');

export function AuditPage() {
  const [saving, save] = useState(false);
  const mayRead = hasScope('authority:admin');
  return (
    <>
      <PageHead
        title={t('audit.title')}
        actions={mayRead ? [{ id: 'view.save', keys: 'v', title: t('view.save'), run: () => save(true) }] : []}
      >
        {t('audit.lead')}
      </PageHead>
      {mayRead ? (
        <Trail />
      ) : (
        <ForbiddenAction name={t('audit.title')} scope="authority:admin" permission={SCOPE_DENIED} />
      )}
      {saving && <SaveView close={() => save(false)} />}
    </>
  );
}

/** Filters that rows and links set, each with a chip that takes it back. */
const SET = ['entity', 'id', 'actor', 'from', 'to', 'correlation'] as const;

function Trail() {
  const { view, filterBy, clear } = usePageView(route.useSearch(), route.useNavigate());
  const { type, entity, id, actor, from, to, correlation, after } = view;
  const [narrowing, narrow] = useState(false);
  const filter = {
    ...(type && { type }),
    ...(entity && { entity }),
    ...(id && { entityId: id }),
    ...(actor && { actor }),
    ...(from && { from }),
    ...(to && { to }),
    ...(correlation && { correlationId: correlation }),
  };
  const trail = useLiveQuery(AuditTrailDocument, { filter, after: after ?? null });
  useCommands([{ id: 'audit.narrow', group: 'act', keys: 'f', title: t('audit.narrow'), run: () => narrow(true) }]);
  return (
    <>
      <Filters clear={clear}>
        <TextFilter label={t('audit.find')} value={type} find={(words) => filterBy({ type: words })} />
        {SET.map((name) => {
          const value = view[name];
          return (
            value !== undefined && (
              <Chip key={name} pressed onPress={() => filterBy({ [name]: undefined })}>
                {t(`audit.of.${name}`, { value })}
              </Chip>
            )
          );
        })}
        <Button size="small" onClick={() => narrow(true)}>
          {t('audit.narrow')}
        </Button>
        <RefreshButton refetch={trail.refetch} />
        <ExportButton filter={filter} />
      </Filters>
      <QueryResult of={trail} skeleton={<SkeletonRows rows={12} />} fault={t('audit.fault')}>
        {({ auditTrail: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <EmptyState clear={clear}>{t(clear ? 'audit.filtered' : 'audit.never')}</EmptyState>
            ) : (
              <AuditTable rows={edges.map(({ node }) => node)} view={{ ...view, after: undefined }} />
            )}
            <Pager after={after} page={pageInfo} go={(next) => filterBy({ after: next })} />
          </>
        )}
      </QueryResult>
      {narrowing && <FilterDialog view={view} change={filterBy} close={() => narrow(false)} />}
    </>
  );
}

/** Rows do not move while they are read: new events are announced, and loaded by Refresh. */
function RefreshButton({ refetch }: { readonly refetch: () => void }) {
  const [isOld, setOld] = useState(false);
  useEffect(() => onChanges(() => setOld(true)), []);
  const read = () => {
    setOld(false);
    refetch();
  };
  useCommands([{ id: 'audit.again', group: 'act', keys: '.', title: t('audit.again'), run: read }]);
  return (
    <Button size="small" weight={isOld ? 'normal' : 'plain'} onClick={read}>
      {t(isOld ? 'audit.newer' : 'audit.again')}
    </Button>
  );
}

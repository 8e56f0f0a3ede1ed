import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { AuditTrailDocument } from '../../generated/operations.ts';
import { onChanges } from '../../lib/change-listeners.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { hasScope } from '../../lib/session.ts';
import { usePageView } from '../../lib/url-state.ts';
import { SaveView } from '../../parts/SaveView.tsx';
import { Button, Chip } from '../../ui/Button.tsx';
import { TextFilter } from '../../ui/Filters.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { columns, unfold } from './audit-columns.tsx';
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

/** Filters set from rows and links; each has a chip that removes it. */
const SET = ['entity', 'id', 'actor', 'from', 'to', 'correlation'] as const;

function Trail() {
  const list = usePageView(route.useSearch(), route.useNavigate());
  const { view, filterBy } = list;
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
  useCommands([{ id: 'audit.filters', keys: 'f', title: t('audit.filters'), run: () => narrow(true) }]);
  return (
    <>
      <ListResult
        of={trail}
        rows={({ auditTrail }) => auditTrail}
        fault={t('audit.fault')}
        empty={t(list.clear ? 'audit.noMatch' : 'audit.empty')}
        list={list}
        filters={
          <>
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
              {t('audit.filters')}
            </Button>
            <RefreshButton refetch={trail.refetch} />
            <ExportButton filter={filter} />
          </>
        }
        label={t('audit.title')}
        columns={columns({ ...view, after: undefined })}
        open={unfold}
        labelled
      />
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
  useCommands([{ id: 'audit.refresh', keys: '.', title: t('audit.refresh'), run: read }]);
  return (
    <Button size="small" weight={isOld ? 'normal' : 'plain'} onClick={read}>
      {t(isOld ? 'audit.newEvents' : 'audit.refresh')}
    </Button>
  );
}

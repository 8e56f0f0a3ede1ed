import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { AuditTrailDocument } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLive } from '../../lib/graph.ts';
import { onHint } from '../../lib/hints.ts';
import { may } from '../../lib/session.ts';
import { SaveView } from '../../parts/SaveView.tsx';
import { Button, Chip } from '../../ui/Button.tsx';
import { Filters, Find } from '../../ui/Filters.tsx';
import { ForbiddenVerb } from '../../ui/Forbidden.tsx';
import { Head } from '../../ui/Head.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Empty, SkeletonRows, States } from '../../ui/States.tsx';
import { ExportTrail } from './ExportTrail.tsx';
import { NarrowTrail } from './NarrowTrail.tsx';
import { TrailRows } from './TrailRows.tsx';
import { t } from './words.ts';

const route = getRouteApi('/audit');

/** Everything that happened in the tenant, the newest first. */
export function AuditPage() {
  const [saving, save] = useState(false);
  const mayRead = may('authority:admin');
  useCommands(
    mayRead ? [{ id: 'view.save', group: 'act', keys: 'v', title: t('view.save'), run: () => save(true) }] : [],
  );
  return (
    <>
      <Head title={t('audit.title')} verbs={mayRead && <Button onClick={() => save(true)}>{t('view.save')}</Button>}>
        {t('audit.lead')}
      </Head>
      {mayRead ? (
        <Trail />
      ) : (
        <ForbiddenVerb
          name={t('audit.title')}
          scope="authority:admin"
          permission={{ allowed: false, code: 'PERM_SCOPE_DENIED' }}
        />
      )}
      {saving && <SaveView close={() => save(false)} />}
    </>
  );
}

/** Filters that rows and links set, each with a chip that takes it back. */
const SET = ['entity', 'id', 'actor', 'from', 'to', 'correlation'] as const;

function Trail() {
  const view = route.useSearch();
  const { type, entity, id, actor, from, to, correlation, after } = view;
  const navigate = route.useNavigate();
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
  const trail = useLive(AuditTrailDocument, { filter, after: after ?? null });
  const change = (next: typeof view) => void navigate({ search: { ...view, after: undefined, ...next } });
  const isNarrowed = Object.keys(filter).length > 0;
  const clear = isNarrowed ? () => void navigate({ search: {} }) : undefined;
  useCommands([
    { id: 'audit.narrow', group: 'act', keys: 'f', title: t('audit.narrow'), run: () => narrow(true) },
    ...(clear
      ? [{ id: 'filter.clear', group: 'move' as const, keys: 'Escape', title: t('filter.clear'), run: clear }]
      : []),
  ]);
  return (
    <>
      <Filters>
        <Find
          label={t('audit.find')}
          value={type ?? ''}
          find={(words) => change({ type: words === '' ? undefined : words })}
        />
        {SET.map((name) => {
          const value = view[name];
          return (
            value !== undefined && (
              <Chip key={name} pressed onPress={() => change({ [name]: undefined })}>
                {t(`audit.of.${name}`, { value })}
              </Chip>
            )
          );
        })}
        <Button size="small" onClick={() => narrow(true)}>
          {t('audit.narrow')}
        </Button>
        <Again again={trail.again} />
        <ExportTrail filter={filter} />
      </Filters>
      <States of={trail} skeleton={<SkeletonRows rows={12} />} fault={t('audit.fault')}>
        {({ auditTrail: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <Empty clear={clear}>{t(clear ? 'audit.filtered' : 'audit.never')}</Empty>
            ) : (
              <TrailRows rows={edges.map(({ node }) => node)} view={{ ...view, after: undefined }} />
            )}
            <Pager
              after={after}
              end={pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined}
              go={(next) => change({ after: next })}
            />
          </>
        )}
      </States>
      {narrowing && <NarrowTrail view={view} change={change} close={() => narrow(false)} />}
    </>
  );
}

/** The trail does not move under its reader: that it grew is told, and it is read again when they say so. */
function Again({ again }: { readonly again: () => void }) {
  const [isOld, setOld] = useState(false);
  useEffect(() => onHint(() => setOld(true)), []);
  const read = () => {
    setOld(false);
    again();
  };
  useCommands([{ id: 'audit.again', group: 'act', keys: '.', title: t('audit.again'), run: read }]);
  return (
    <Button size="small" weight={isOld ? 'normal' : 'plain'} onClick={read}>
      {t(isOld ? 'audit.newer' : 'audit.again')}
    </Button>
  );
}

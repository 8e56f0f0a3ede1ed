import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type GroupRowFragment, GroupsDocument } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { AccessLayout, isAdministrator } from './AccessLayout.tsx';
import { CreateGroup, DeleteGroup, MapRoles } from './GroupActions.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/access/groups');

/** Groups of people, and the roles that they bring. */
export function GroupsPage() {
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const asking = (next: 'create' | undefined) =>
    void navigate({ search: (before) => ({ ...before, ask: next }), replace: true, resetScroll: false });
  useCommands(
    isAdministrator()
      ? [{ id: 'group.create', group: 'act', keys: 'c', title: t('group.create'), run: () => asking('create') }]
      : [],
  );
  return (
    <AccessLayout
      tab="groups"
      verbs={
        <Button weight="primary" onClick={() => asking('create')}>
          {t('group.create')}
        </Button>
      }
    >
      <Groups />
      {ask === 'create' && <CreateGroup close={() => asking(undefined)} />}
    </AccessLayout>
  );
}

type Asked = { readonly what: 'map' | 'delete'; readonly group: GroupRowFragment };

function Groups() {
  const { after } = route.useSearch();
  const navigate = route.useNavigate();
  const groups = useLiveQuery(GroupsDocument, { after: after ?? null }, ['Group', 'User']);
  const [asked, ask] = useState<Asked>();
  const close = () => ask(undefined);
  return (
    <>
      <QueryResult of={groups} skeleton={<SkeletonRows rows={4} />} fault={t('groups.fault')}>
        {({ groups: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <EmptyState>{t('groups.never')}</EmptyState>
            ) : (
              <DataTable label={t('tab.groups')} columns={columns(ask)} rows={edges.map(({ node }) => node)} labelled />
            )}
            <Pager
              after={after}
              end={pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined}
              go={(next) => void navigate({ search: { after: next } })}
            />
          </>
        )}
      </QueryResult>
      {asked?.what === 'map' && <MapRoles group={asked.group} close={close} />}
      {asked?.what === 'delete' && <DeleteGroup group={asked.group} close={close} />}
    </>
  );
}

const columns = (ask: (asked: Asked) => void): Column<GroupRowFragment>[] => [
  { name: t('group.name'), cell: ({ displayName }) => displayName },
  {
    name: t('roles'),
    cell: ({ roles }) => <span className="soft">{roles.join(', ') || t('group.idle')}</span>,
  },
  { name: t('group.members'), number: true, cell: ({ memberCount }) => count(memberCount) },
  {
    name: t('group.external'),
    cell: ({ externalId }) =>
      externalId === null ? <span className="quiet">{t('none')}</span> : <span className="code">{externalId}</span>,
  },
  {
    name: t('verbs'),
    hidden: true,
    number: true,
    cell: (group) => (
      <span className="row" style={{ justifyContent: 'end' }}>
        <Button
          size="small"
          aria-label={t('group.map.title', { name: group.displayName })}
          onClick={() => ask({ what: 'map', group })}
        >
          {t('group.map')}
        </Button>
        <Button
          size="small"
          aria-label={t('group.delete.title', { name: group.displayName })}
          onClick={() => ask({ what: 'delete', group })}
        >
          {t('group.delete')}
        </Button>
      </span>
    ),
  },
];

import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type GroupRowFragment, GroupsDocument } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLive } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Empty, SkeletonRows, States } from '../../ui/States.tsx';
import { administers, Frame } from './Frame.tsx';
import { CreateGroup, DeleteGroup, MapRoles } from './GroupVerbs.tsx';
import { t } from './words.ts';

const route = getRouteApi('/access/groups');

/** Groups of people, and the roles that they bring. */
export function GroupsPage() {
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const asking = (next: 'create' | undefined) =>
    void navigate({ search: (before) => ({ ...before, ask: next }), replace: true, resetScroll: false });
  useCommands(
    administers()
      ? [{ id: 'group.create', group: 'act', keys: 'c', title: t('group.create'), run: () => asking('create') }]
      : [],
  );
  return (
    <Frame
      tab="groups"
      verbs={
        <Button weight="primary" onClick={() => asking('create')}>
          {t('group.create')}
        </Button>
      }
    >
      <Groups />
      {ask === 'create' && <CreateGroup close={() => asking(undefined)} />}
    </Frame>
  );
}

type Asked = { readonly what: 'map' | 'delete'; readonly group: GroupRowFragment };

function Groups() {
  const { after } = route.useSearch();
  const navigate = route.useNavigate();
  const groups = useLive(GroupsDocument, { after: after ?? null }, ['Group', 'User']);
  const [asked, ask] = useState<Asked>();
  const close = () => ask(undefined);
  return (
    <>
      <States of={groups} skeleton={<SkeletonRows rows={4} />} fault={t('groups.fault')}>
        {({ groups: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <Empty>{t('groups.never')}</Empty>
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
      </States>
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

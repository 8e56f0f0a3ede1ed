import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type GroupRowFragment, GroupsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { usePageView } from '../../lib/url-state.ts';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { AccessLayout } from './AccessLayout.tsx';
import { CreateGroup, DeleteGroup, MapRoles } from './GroupActions.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/access/groups');

/** Page of the groups and their roles. */
export function GroupsPage() {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  return (
    <AccessLayout
      tab="groups"
      actions={[
        {
          id: 'group.create',
          keys: 'c',
          title: t('group.create'),
          weight: 'primary',
          run: () => set({ ask: 'create' }),
        },
      ]}
    >
      <Groups />
      {view.ask === 'create' && <CreateGroup close={() => set({ ask: undefined })} />}
    </AccessLayout>
  );
}

function Groups() {
  const list = usePageView(route.useSearch(), route.useNavigate());
  const groups = useLiveQuery(GroupsDocument, { after: list.view.after ?? null }, ['Group', 'User']);
  const [mapped, map] = useState<GroupRowFragment>();
  return (
    <>
      <ListResult
        of={groups}
        rows={(data) => data.groups}
        fault={t('groups.fault')}
        empty={t('groups.empty')}
        skeleton={4}
        label={t('tab.groups')}
        columns={columns(map)}
        list={list}
        labelled
      />
      {mapped && <MapRoles group={mapped} close={() => map(undefined)} />}
    </>
  );
}

const columns = (map: (group: GroupRowFragment) => void): Column<GroupRowFragment>[] => [
  { name: t('group.name'), cell: ({ displayName }) => displayName },
  { name: t('roles'), className: 'soft', cell: ({ roles }) => roles.join(', ') || t('group.noRole') },
  { name: t('group.members'), number: true, cell: ({ memberCount }) => count(memberCount) },
  {
    name: t('group.external'),
    cell: ({ externalId }) => optional(externalId, t('none'), (id) => <span className="code">{id}</span>),
  },
  actionsColumn((group) => (
    <span className="row" style={{ justifyContent: 'end' }}>
      <RowButton label={t('group.map.title', { name: group.displayName })} press={() => map(group)}>
        {t('group.map')}
      </RowButton>
      <DeleteGroup {...group} />
    </span>
  )),
];

import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type GroupRowFragment, GroupsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional.tsx';
import { AccessLayout } from './AccessLayout.tsx';
import { CreateGroup, DeleteGroup, MapRoles } from './GroupActions.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/access/groups');

/** Groups of people, and the roles that they bring. */
export function GroupsPage() {
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const asking = (next: 'create' | undefined) =>
    void navigate({ search: (before) => ({ ...before, ask: next }), replace: true, resetScroll: false });
  return (
    <AccessLayout
      tab="groups"
      actions={[
        { id: 'group.create', keys: 'c', title: t('group.create'), weight: 'primary', run: () => asking('create') },
      ]}
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
      <ListResult
        of={groups}
        rows={(data) => data.groups}
        fault={t('groups.fault')}
        empty={t('groups.never')}
        label={t('tab.groups')}
        columns={columns(ask)}
        pages={{ after, go: (next) => void navigate({ search: { after: next } }) }}
        labelled
      />
      {asked?.what === 'map' && <MapRoles group={asked.group} close={close} />}
      {asked?.what === 'delete' && <DeleteGroup group={asked.group} close={close} />}
    </>
  );
}

const columns = (ask: (asked: Asked) => void): Column<GroupRowFragment>[] => [
  { name: t('group.name'), cell: ({ displayName }) => displayName },
  { name: t('roles'), className: 'soft', cell: ({ roles }) => roles.join(', ') || t('group.idle') },
  { name: t('group.members'), number: true, cell: ({ memberCount }) => count(memberCount) },
  {
    name: t('group.external'),
    cell: ({ externalId }) => optional(externalId, t('none'), (id) => <span className="code">{id}</span>),
  },
  {
    name: t('verbs'),
    hidden: true,
    number: true,
    cell: (group) => (
      <span className="row" style={{ justifyContent: 'end' }}>
        {(['map', 'delete'] as const).map((what) => (
          <RowButton
            key={what}
            label={t(`group.${what}.title`, { name: group.displayName })}
            press={() => ask({ what, group })}
          >
            {t(`group.${what}`)}
          </RowButton>
        ))}
      </span>
    ),
  },
];

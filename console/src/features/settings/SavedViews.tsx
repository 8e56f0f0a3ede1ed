import { useApolloClient } from '@apollo/client/react';
import { DeleteViewDocument, SavedViewsDocument, type SavedViewsQuery } from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph-hooks.ts';
import { hasScope, session } from '../../lib/session.ts';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { RowButton } from '../../ui/Button.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { t } from './labels.ts';

type View = SavedViewsQuery['savedViews'][number];

export function SavedViews() {
  const views = useLiveQuery(SavedViewsDocument, {}, ['SavedView']);
  return (
    <ListSection
      title={t('views.title')}
      of={views}
      rows={({ savedViews }) => savedViews}
      fault={t('views.fault')}
      empty={t('views.empty')}
      skeleton={2}
      columns={[
        {
          name: t('view.name'),
          cell: ({ name, path }) => (/^\/(?![/\\])/.test(path) ? <a href={path}>{name}</a> : name),
        },
        {
          name: t('view.owner'),
          className: 'soft',
          cell: ({ shared, owner }) => (shared ? t('view.sharedBy', { name: owner.displayName }) : t('view.own')),
        },
        actionsColumn((view: View) => <RemoveButton view={view} />),
      ]}
    />
  );
}

function RemoveButton({ view: { id, name, shared, owner } }: { readonly view: View }) {
  const action = useAction(DeleteViewDocument);
  const client = useApolloClient();
  const isOwn = owner.id === session().subject;
  const remove = async () => {
    if ((await action.run({ id })) === undefined) return;
    await client.refetchQueries({ include: 'active' });
  };
  if (!isOwn && !(shared && hasScope('authority:admin'))) return null;
  return (
    <>
      <RowButton busy={action.busy} label={t('component.remove', { name })} press={() => void remove()}>
        {t('target.remove')}
      </RowButton>
      <ActionError problem={action.problem} />
    </>
  );
}

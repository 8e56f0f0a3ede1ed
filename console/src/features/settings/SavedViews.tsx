import { useApolloClient } from '@apollo/client/react';
import { DeleteViewDocument, SavedViewsDocument, type SavedViewsQuery } from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph.ts';
import { hasScope, session } from '../../lib/session.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Table } from '../../ui/Table.tsx';
import { t } from './labels.ts';

type View = SavedViewsQuery['savedViews'][number];

/** Names that the reader, or somebody for everybody, gave to addresses of the console. */
export function SavedViews() {
  const views = useLiveQuery(SavedViewsDocument, {}, ['SavedView']);
  return (
    <Section title={t('views.title')}>
      <QueryResult of={views} skeleton={<SkeletonRows rows={2} />} fault={t('views.fault')}>
        {({ savedViews }) =>
          savedViews.length === 0 ? (
            <EmptyState>{t('views.never')}</EmptyState>
          ) : (
            <Table
              label={t('views.title')}
              list
              head={[{ name: t('view.name') }, { name: t('view.whose') }, { name: t('target.verbs'), hidden: true }]}
            >
              {savedViews.map((view) => (
                <Row key={view.id} view={view} />
              ))}
            </Table>
          )
        }
      </QueryResult>
    </Section>
  );
}

function Row({ view: { id, name, path, shared, owner } }: { readonly view: View }) {
  const verb = useAction(DeleteViewDocument);
  const client = useApolloClient();
  const isOwn = owner.id === session().subject;
  const remove = async () => {
    if ((await verb.run({ id })) === undefined) return;
    await client.refetchQueries({ include: 'active' });
  };
  return (
    <tr>
      <th scope="row">
        {/^\/(?![/\\])/.test(path) ? <a href={path}>{name}</a> : name}
        <ActionError problem={verb.problem} />
      </th>
      <td className="soft">{shared ? t('view.by', { name: owner.displayName }) : t('view.own')}</td>
      <td className="num">
        {(isOwn || (shared && hasScope('authority:admin'))) && (
          <Button
            size="small"
            busy={verb.busy}
            aria-label={t('component.remove', { name })}
            onClick={() => void remove()}
          >
            {t('target.remove')}
          </Button>
        )}
      </td>
    </tr>
  );
}

import { useApolloClient } from '@apollo/client/react';
import { DeleteViewDocument, SavedViewsDocument, type SavedViewsQuery } from '../../generated/operations.ts';
import { useLive, useVerb } from '../../lib/graph.ts';
import { may, session } from '../../lib/session.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Section.tsx';
import { Empty, SkeletonRows, States } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { t } from './words.ts';

type View = SavedViewsQuery['savedViews'][number];

/** Names that the reader, or somebody for everybody, gave to addresses of the console. */
export function SavedViews() {
  const views = useLive(SavedViewsDocument, {}, ['SavedView']);
  return (
    <Section title={t('views.title')}>
      <States of={views} skeleton={<SkeletonRows rows={2} />} fault={t('views.fault')}>
        {({ savedViews }) =>
          savedViews.length === 0 ? (
            <Empty>{t('views.never')}</Empty>
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
      </States>
    </Section>
  );
}

function Row({ view: { id, name, path, shared, owner } }: { readonly view: View }) {
  const verb = useVerb(DeleteViewDocument);
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
        <Refusal problem={verb.problem} />
      </th>
      <td className="soft">{shared ? t('view.by', { name: owner.displayName }) : t('view.own')}</td>
      <td className="num">
        {(isOwn || (shared && may('authority:admin'))) && (
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

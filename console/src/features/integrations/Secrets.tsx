import type { IntegrationsQuery } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import { Table } from '../../ui/Table.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

/** The names of the sealed secrets. Their values leave only for the agent that needs them. */
export function Secrets({ secrets }: { readonly secrets: IntegrationsQuery['secrets'] }) {
  return (
    <Table
      label={t('secrets.title')}
      list
      labelled
      head={[
        { name: t('integration.name') },
        { name: t('secret.version'), number: true },
        { name: t('secret.saved'), number: true },
      ]}
    >
      {secrets.map(({ name, version, updatedAt }) => (
        <tr key={name}>
          <th scope="row">
            <span className="code">{name}</span>
          </th>
          <td data-label={t('secret.version')} className="num">
            {count(version)}
          </td>
          <td data-label={t('secret.saved')} className="num">
            <RelativeTime at={updatedAt} as="relative" />
          </td>
        </tr>
      ))}
    </Table>
  );
}

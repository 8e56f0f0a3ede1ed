import type { IntegrationsQuery } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

/** Names of the sealed secrets. Their values leave only for the agent that needs them. */
export const Secrets = ({ secrets }: { readonly secrets: IntegrationsQuery['secrets'] }) => (
  <DataTable
    label={t('secrets.title')}
    labelled
    rows={secrets}
    rowId={({ name }) => name}
    columns={[
      { name: t('integration.name'), cell: ({ name }) => <span className="code">{name}</span> },
      { name: t('secret.version'), number: true, cell: ({ version }) => count(version) },
      { name: t('secret.saved'), number: true, cell: ({ updatedAt }) => <RelativeTime at={updatedAt} as="relative" /> },
    ]}
  />
);

import type { IntegrationsQuery } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import { AdminButton } from '../../parts/AdminButton.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type SecretsProps = { readonly secrets: IntegrationsQuery['secrets']; readonly ask: () => void };

/** Names of the sealed secrets. Their values leave only for the agent that needs them. */
export const Secrets = ({ secrets, ask }: SecretsProps) => (
  <TableSection
    title={t('secrets.title')}
    side={<AdminButton plus label={t('secret.create')} press={ask} />}
    labelled
    empty={t('secrets.empty')}
    rows={secrets}
    rowId={({ name }) => name}
    columns={[
      { name: t('integration.name'), cell: ({ name }) => <span className="code">{name}</span> },
      { name: t('secret.version'), number: true, cell: ({ version }) => count(version) },
      { name: t('secret.saved'), number: true, cell: ({ updatedAt }) => <RelativeTime at={updatedAt} as="relative" /> },
    ]}
  />
);

import { RegistryPlansDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { Badge } from '../../ui/Badge.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { t } from './labels.ts';

/** Repositories and actions that each plan covers. Plans are settings of the installation. */
export function RegistryPlans() {
  const plans = useLiveQuery(RegistryPlansDocument, {});
  return (
    <ListSection
      title={t('plans')}
      count={plans.data && count(plans.data.registryPlans.length)}
      of={plans}
      rows={({ registryPlans }) =>
        registryPlans.flatMap(({ name, isDefault, repositories }) =>
          (repositories.length > 0 ? repositories : [{ pattern: '', actions: [] }]).map((repository) => ({
            name,
            isDefault,
            ...repository,
          })),
        )
      }
      rowId={({ name, pattern }) => `${name} ${pattern}`}
      fault={t('plans.fault')}
      empty={t('plans.empty')}
      skeleton={3}
      columns={[
        {
          name: t('plan'),
          cell: ({ name, isDefault }) => (
            <span className="row">
              {name}
              {isDefault && <Badge>{t('plan.default')}</Badge>}
            </span>
          ),
        },
        {
          name: t('plan.pattern'),
          className: 'breaks',
          cell: ({ pattern }) => (pattern === '' ? t('plan.nothing') : <span className="code">{pattern}</span>),
        },
        { name: t('plan.actions'), cell: ({ actions }) => actions.join(', ') },
      ]}
      labelled
    />
  );
}

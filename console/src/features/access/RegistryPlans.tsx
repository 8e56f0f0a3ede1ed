import { RegistryPlansDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { Badge } from '../../ui/Badge.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Table } from '../../ui/Table.tsx';
import { t } from './labels.ts';

/** What each plan covers. Plans are settings of the installation. */
export function RegistryPlans() {
  const plans = useLiveQuery(RegistryPlansDocument, {});
  return (
    <Section title={t('plans')} count={plans.data && count(plans.data.registryPlans.length)}>
      <QueryResult of={plans} skeleton={<SkeletonRows rows={3} />} fault={t('plans.fault')}>
        {({ registryPlans }) =>
          registryPlans.length === 0 ? (
            <EmptyState>{t('plans.never')}</EmptyState>
          ) : (
            <Table
              label={t('plans')}
              list
              labelled
              head={[{ name: t('plan') }, { name: t('plan.pattern') }, { name: t('plan.actions') }]}
            >
              {registryPlans.flatMap(({ name, isDefault, repositories }) =>
                (repositories.length > 0 ? repositories : [{ pattern: '', actions: [] }]).map(
                  ({ pattern, actions }) => (
                    <tr key={`${name} ${pattern}`}>
                      <th scope="row">
                        <span className="row">
                          {name}
                          {isDefault && <Badge>{t('plan.default')}</Badge>}
                        </span>
                      </th>
                      <td data-label={t('plan.pattern')} className="breaks">
                        {pattern === '' ? t('plan.nothing') : <span className="code">{pattern}</span>}
                      </td>
                      <td data-label={t('plan.actions')}>{actions.join(', ')}</td>
                    </tr>
                  ),
                ),
              )}
            </Table>
          )
        }
      </QueryResult>
    </Section>
  );
}

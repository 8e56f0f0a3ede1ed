import type { ProductQuery } from '../../generated/operations.ts';
import { formatLabels } from '../../lib/label-text.ts';
import { AgentLink, EnvironmentLink, TargetLink } from '../../ui/EntityLink.tsx';
import { TargetLabel } from '../../ui/EntityStates.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { t } from './labels.ts';

type Targets = NonNullable<ProductQuery['product']>['targets'];
type ProductTargetsProps = {
  readonly targets: Targets;
  readonly environments: readonly { readonly id: string }[];
};

/** Targets of a product, by environment in order. */
export function ProductTargets({ targets, environments }: ProductTargetsProps) {
  const order = environments.map(({ id }) => id);
  return (
    <TableSection
      title={t('product.targets')}
      bare
      labelled
      empty={t('product.targets.none')}
      rows={targets.toSorted((a, b) => order.indexOf(a.environment.id) - order.indexOf(b.environment.id))}
      columns={[
        {
          name: t('environments.target'),
          cell: (target) => <TargetLink target={target} environmentId={target.environment.id} />,
        },
        {
          name: t('environments.column.name'),
          cell: ({ environment }) => <EnvironmentLink environment={environment} />,
        },
        { name: t('product.labels'), className: 'soft', cell: ({ labels }) => formatLabels(labels) },
        { name: t('environments.state'), cell: ({ state }) => <TargetLabel state={state} /> },
        {
          name: t('product.targets.agent'),
          cell: ({ agent }) => optional(agent, t('none'), (assigned) => <AgentLink agent={assigned} />),
        },
      ]}
    />
  );
}

import type { EnvironmentQuery } from '../../generated/operations.ts';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { RowButton } from '../../ui/Button.tsx';
import { DeploymentLink } from '../../ui/EntityLink.tsx';
import { DeploymentStatusLabel, EstateLabel, VerdictLabel } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type ProductInEnvironment = NonNullable<EnvironmentQuery['environment']>['products'][number];

type EnvironmentProductsProps = {
  readonly products: readonly ProductInEnvironment[];
  readonly rollBack: (productId: string) => void;
};

/** Products that were deployed to an environment: what runs of each, its state, what is under way, its rollback. */
export function EnvironmentProducts({ products, rollBack }: EnvironmentProductsProps) {
  if (products.length === 0) return null;
  return (
    <TableSection
      title={t('environment.products')}
      bare
      labelled
      rows={products}
      rowId={({ product }) => product.id}
      columns={[
        {
          name: t('environment.products.product'),
          cell: ({ product: { id, name } }) => (
            <Link look="name" to="/products/$id" params={{ id }}>
              {name}
            </Link>
          ),
        },
        {
          name: t('environment.products.runs'),
          cell: ({ currentDeployment }) =>
            optional(currentDeployment, t('launch.noRelease'), (deployment) => (
              <DeploymentLink deployment={deployment} />
            )),
        },
        { name: t('environment.products.state'), cell: (product) => <State product={product} /> },
        {
          name: t('environment.products.since'),
          cell: ({ currentDeployment }) =>
            currentDeployment?.completedAt ? <RelativeTime at={currentDeployment.completedAt} /> : null,
        },
        {
          name: t('environment.products.active'),
          cell: ({ activeDeployment: active }) =>
            active && (
              <span className="row">
                <DeploymentStatusLabel status={active.status} landing={null} paused={active.pauseReason} />
                <DeploymentLink deployment={active} />
              </span>
            ),
        },
        // The only product of an environment is rolled back in the head of the page.
        ...(products.length > 1 ? [rollbackColumn(rollBack)] : []),
      ]}
    />
  );
}

const rollbackColumn = (rollBack: (productId: string) => void) =>
  actionsColumn<ProductInEnvironment>(
    ({ product: { id, name }, currentDeployment, viewerCanRollback: { allowed, reason } }) =>
      allowed ? (
        <RowButton label={t('environment.products.rollback', { name })} press={() => rollBack(id)}>
          {t('verb.rollback')}
        </RowButton>
      ) : (
        currentDeployment !== null && <span className="small quiet">{reason}</span>
      ),
  );

/** State of a product here: drift, else the verdict of its landing. */
function State({ product: { state, currentDeployment } }: { readonly product: ProductInEnvironment }) {
  if (state !== null && state !== 'IN_SYNC') return <EstateLabel state={state} />;
  return currentDeployment && <VerdictLabel verdict={currentDeployment.landingVerification} />;
}

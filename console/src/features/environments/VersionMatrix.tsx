import { VersionMatrixDocument, type VersionMatrixQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { useGridNavigation } from '../../lib/grid-navigation.ts';
import { EstateLabel } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { PlainRelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import styles from './VersionMatrix.module.css';

type Data = VersionMatrixQuery['environmentMatrix'];
type Cell = Data['rows'][number]['cells'][number];
type DeployedReleases = Data['environments'][number]['releases'];

/** Releases that the targets of an environment carry of a product; null: of any. */
const releasesOfProduct = (releases: DeployedReleases, product: Data['rows'][number]['product']): DeployedReleases =>
  releases.filter(({ release }) => product === null || release.name === product.name);

/** Version of each component by environment, since when, and whether it still runs. Arrows walk it, Enter opens. */
export function VersionMatrix() {
  const matrix = useLiveQuery(VersionMatrixDocument, {}, ['Deployment', 'Environment', 'Target', 'Agent']);
  return (
    <Section title={t('matrix.title')} bare>
      <QueryResult of={matrix} skeleton={<SkeletonRows rows={4} />} fault={t('matrix.fault')}>
        {({ environmentMatrix: data }) =>
          data.rows.length === 0 ? <EmptyState>{t('matrix.empty')}</EmptyState> : <Field data={data} />
        }
      </QueryResult>
    </Section>
  );
}

function Field({ data: { environments, rows } }: { readonly data: Data }) {
  const moveFocus = useGridNavigation(rows.length, environments.length);
  return (
    <div className={styles.scroll}>
      <table
        ref={moveFocus.table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that is walked by arrows is a grid (ARIA 1.2).
        role="grid"
        className={styles.matrix}
        aria-label={t('matrix.label')}
        onKeyDown={moveFocus.step}
      >
        <thead>
          <tr>
            <th scope="col">{t('matrix.component')}</th>
            {environments.map(({ id, name }) => (
              <th key={id} scope="col">
                <Link look="name" to="/environments/$id" params={{ id }}>
                  {name}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ product, component, cells }, r) => (
            <tr key={`${product?.id} ${component}`}>
              <th scope="row">
                {component}
                {product && <span className={`${styles.product} quiet small`}>{product.name}</span>}
              </th>
              {cells.map((cell, c) => (
                <td key={cell.environment.id} data-label={cell.environment.name}>
                  <Content
                    cell={cell}
                    carried={releasesOfProduct(environments[c]?.releases ?? [], product)}
                    stop={moveFocus.cell(r, c)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type ContentProps = {
  readonly cell: Cell;
  readonly carried: DeployedReleases;
  readonly stop: ReturnType<ReturnType<typeof useGridNavigation>['cell']>;
};

/** Version of a component in an environment, with a label where it drifted or is unobserved. */
function Content({ cell, carried, stop }: ContentProps) {
  const { release, deployment, state, deployedAt } = cell;
  if (release === null || deployment === null)
    return (
      <span data-cell="" className={`${styles.cell} quiet`} {...stop}>
        {t('matrix.nothing')} <OtherEnvironments cell={cell} carried={carried} />
      </span>
    );
  return (
    <Link
      look="bare"
      className={styles.cell}
      data-cell=""
      to="/deployments/$id"
      params={{ id: deployment.id }}
      {...stop}
    >
      <b>{release.semver}</b>
      <span className="quiet">{deployedAt !== null && <PlainRelativeTime at={deployedAt} />}</span>
      {state !== null && state !== 'IN_SYNC' && <EstateLabel state={state} />}
      <OtherEnvironments cell={cell} carried={carried} />
    </Link>
  );
}

type OtherReleasesProps = { readonly cell: Cell; readonly carried: DeployedReleases };

/** Number of targets that run the component of another release, which is named where there is but one. */
function OtherEnvironments({ cell: { release, targets, elsewhere: others }, carried }: OtherReleasesProps) {
  if (others === 0) return null;
  const [other, ...rest] = carried.filter((each) => each.release.id !== release?.id);
  const name = other === undefined || rest.length > 0 ? t('matrix.otherRelease') : other.release.semver;
  return <StateLabel look="attention">{t('runs.others', { n: others, of: targets, what: name })}</StateLabel>;
}

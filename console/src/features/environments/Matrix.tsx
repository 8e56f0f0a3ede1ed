import { MatrixDocument, type MatrixQuery } from '../../generated/operations.ts';
import { useLive } from '../../lib/graph.ts';
import { useGridWalk } from '../../lib/grid-walk.ts';
import { Link } from '../../ui/Link.tsx';
import { Mark } from '../../ui/Mark.tsx';
import { Section } from '../../ui/Section.tsx';
import { Empty, SkeletonRows, States } from '../../ui/States.tsx';
import { EstateMark } from '../../ui/Status.tsx';
import { PlainDistance } from '../../ui/Time.tsx';
import styles from './Matrix.module.css';
import { t } from './words.ts';

type Data = MatrixQuery['environmentMatrix'];
type Cell = Data['rows'][number]['cells'][number];
type Carried = Data['environments'][number]['releases'];

/** Which version of each component is where, since when, and whether it still runs. Arrows walk it, Enter opens. */
export function Matrix() {
  const matrix = useLive(MatrixDocument, {}, ['Deployment', 'Environment', 'Target', 'Agent']);
  return (
    <Section title={t('matrix.title')} bare>
      <States of={matrix} skeleton={<SkeletonRows rows={4} />} fault={t('matrix.fault')}>
        {({ environmentMatrix: data }) =>
          data.rows.length === 0 ? <Empty>{t('matrix.never')}</Empty> : <Field data={data} />
        }
      </States>
    </Section>
  );
}

function Field({ data: { environments, rows } }: { readonly data: Data }) {
  const walk = useGridWalk(rows.length, environments.length);
  return (
    <div className={styles.scroll}>
      <table
        ref={walk.table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that is walked by arrows is a grid (ARIA 1.2).
        role="grid"
        className={styles.matrix}
        aria-label={t('matrix.label')}
        onKeyDown={walk.step}
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
          {rows.map(({ component, cells }, r) => (
            <tr key={component}>
              <th scope="row">{component}</th>
              {cells.map((cell, c) => (
                <td key={cell.environment.id} data-label={cell.environment.name}>
                  <Content cell={cell} carried={environments[c]?.releases ?? []} stop={walk.cell(r, c)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A version in sync says so by being quiet; what drifts, and what nobody sees, has its mark. */
function Content({
  cell,
  carried,
  stop,
}: {
  readonly cell: Cell;
  readonly carried: Carried;
  readonly stop: ReturnType<ReturnType<typeof useGridWalk>['cell']>;
}) {
  const { release, deployment, state, deployedAt } = cell;
  if (release === null || deployment === null)
    return (
      <span data-cell="" className={`${styles.cell} quiet`} {...stop}>
        {t('matrix.nothing')} <Elsewhere cell={cell} carried={carried} />
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
      <span className="quiet">{deployedAt !== null && <PlainDistance at={deployedAt} />}</span>
      {state !== null && state !== 'IN_SYNC' && <EstateMark state={state} />}
      <Elsewhere cell={cell} carried={carried} />
    </Link>
  );
}

/** How many targets carry the component of another release, which is named where there is but one. */
function Elsewhere({
  cell: { release, targets, elsewhere },
  carried,
}: {
  readonly cell: Cell;
  readonly carried: Carried;
}) {
  if (elsewhere === 0) return null;
  const [other, ...more] = carried.filter((each) => each.release.id !== release?.id);
  const what = other === undefined || more.length > 0 ? t('matrix.elsewhere') : other.release.semver;
  return (
    <Mark shape="attention" tone="attention">
      {t('runs.others', { n: elsewhere, of: targets, what })}
    </Mark>
  );
}

import type { EstateState } from '../../generated/operations.ts';
import { ESTATE_STATES } from '../../lib/enums.ts';
import { useGridNavigation } from '../../lib/grid-navigation.ts';
import { count } from '../../lib/i18n.ts';
import { EstateLabel } from '../../ui/EntityStates.tsx';
import { Section } from '../../ui/Section.tsx';
import { ShapeIcon } from '../../ui/StateLabel.tsx';
import type { Counts, DriftMapData, MapCell } from './drift-map.ts';
import styles from './Estate.module.css';
import { t } from './labels.ts';

const LOOKS: Readonly<Record<EstateState, string | undefined>> = {
  IN_SYNC: undefined,
  DRIFT: styles.drift,
  UNOBSERVED: styles.unobserved,
};
const wordsOf = (state: EstateState | undefined): string =>
  t(state === undefined ? 'estate.absent' : `estate.${state}`);

const labelOf = (environment: string, { column, state }: MapCell): string =>
  t('estate.cell', { component: column, environment, state: wordsOf(state) });

const countsOf = ({ unobserved, drift, total }: Counts): string => t('estate.counts', { unobserved, drift, total });

/** Map of drift: environments down, components across; Enter filters the table below. On phones it is a list. */
export function DriftMap({ map, open }: { readonly map: DriftMapData; readonly open: (cell: MapCell) => void }) {
  const { columns, isGrouped, rows } = map;
  const text = { n: columns.length, of: rows.length };
  return (
    <Section
      title={t('estate.map')}
      count={t(isGrouped ? 'estate.map.groups' : 'estate.map.count', text)}
      side={<Legend />}
      bare
    >
      <Field map={map} open={open} />
      <ul className={styles.twin}>
        {rows.flatMap(({ id, name, cells }) =>
          cells
            .filter(({ state }) => state !== undefined)
            .map((cell) => (
              <li key={`${id} ${cell.column}`}>
                <button type="button" onClick={() => open(cell)}>
                  {cell.state && <EstateLabel state={cell.state} />}
                  <b>{cell.column}</b> <span className="soft">{name}</span>
                  <span className="quiet push">{countsOf(cell)}</span>
                </button>
              </li>
            )),
        )}
      </ul>
    </Section>
  );
}

function Legend() {
  return (
    <ul className={styles.legend} aria-label={t('estate.legend')}>
      {ESTATE_STATES.map((state) => (
        <li key={state}>
          <i className={`${styles.tile} ${LOOKS[state] ?? ''}`}>{state === 'DRIFT' && <Diamond />}</i>
          {t(`estate.${state}`)}
        </li>
      ))}
      <li>
        <i className={`${styles.tile} ${styles.absent}`} />
        {t('estate.absent')}
      </li>
    </ul>
  );
}

const Diamond = () => <ShapeIcon look="mismatch" />;

type FieldProps = { readonly map: DriftMapData; readonly open: (cell: MapCell) => void };

function Field({ map: { columns, rows }, open }: FieldProps) {
  const moveFocus = useGridNavigation(rows.length, columns.length);
  const cellStates = rows[moveFocus.row]?.cells[moveFocus.column];
  return (
    <div className={styles.scroll}>
      <table
        ref={moveFocus.table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that is walked by arrows is a grid (ARIA 1.2).
        role="grid"
        className={styles.map}
        aria-label={t('estate.map.label')}
        onKeyDown={moveFocus.step}
      >
        <thead>
          <tr>
            <td />
            {columns.map((name) => (
              <th key={name} scope="col" className={styles.name}>
                <span>{name}</span>
              </th>
            ))}
            <th scope="col" className={styles.tally}>
              {t('estate.tally')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((each, r) => (
            <tr key={each.id}>
              <th scope="row">{each.name}</th>
              {each.cells.map((cell, c) => (
                <td key={cell.column}>
                  <button
                    type="button"
                    className={`${styles.tile} ${cell.state === undefined ? styles.absent : (LOOKS[cell.state] ?? '')}`}
                    data-cell=""
                    {...moveFocus.cell(r, c)}
                    aria-label={labelOf(each.name, cell)}
                    onClick={() => open(cell)}
                  >
                    {cell.state === 'DRIFT' && <Diamond />}
                  </button>
                </td>
              ))}
              <td className={styles.tally}>
                {count(each.unobserved)}, {count(each.drift)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {cellStates && (
        <p className={styles.readout}>
          <b>{cellStates.column}</b> <span className="soft">{rows[moveFocus.row]?.name}</span>{' '}
          {cellStates.state === undefined ? (
            <span className="quiet">{t('estate.absent')}</span>
          ) : (
            <>
              <EstateLabel state={cellStates.state} /> <span className="soft">{countsOf(cellStates)}</span>
            </>
          )}
        </p>
      )}
    </div>
  );
}

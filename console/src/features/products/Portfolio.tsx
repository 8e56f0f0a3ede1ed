import { useRouter } from '@tanstack/react-router';
import { type FocusEvent, type MouseEvent, memo, useDeferredValue } from 'react';
import type { PortfolioRowFragment } from '../../generated/operations.ts';
import { useGridNavigation } from '../../lib/grid-navigation.ts';
import { useNow } from '../../lib/now.ts';
import { EnvironmentLink } from '../../ui/EntityLink.tsx';
import { t } from './labels.ts';
import styles from './Portfolio.module.css';
import { ProductState } from './ProductState.tsx';
import { actionPath, fromCell, type ProductInEnvironment } from './product-in-environment.ts';

/** Rows of the first paint; the others follow once it is done. */
const FIRST_ROWS = 30;
const MINUTE_MS = 60_000;

type Environment = { readonly id: string; readonly name: string };

type PortfolioProps = {
  readonly rows: readonly PortfolioRowFragment[];
  readonly environments: readonly Environment[];
};

/** Products by environments. Arrows walk the cells, Enter opens one. */
export function Portfolio({ rows, environments }: PortfolioProps) {
  const visible = useDeferredValue(rows, rows.slice(0, FIRST_ROWS));
  const router = useRouter();
  const moveFocus = useGridNavigation(visible.length, environments.length + 1);
  const minute = Math.floor(useNow().getTime() / MINUTE_MS);
  // Cells are plain links, since a link of the router each would take most of the time of the first paint.
  const follow = (event: MouseEvent) => {
    const path = linkOf(event.target)?.getAttribute('href');
    if (!path || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    router.history.push(path);
  };
  const arrive = ({ target }: FocusEvent) => {
    const [row, column] = (target.closest<HTMLElement>('[data-cell]')?.dataset.cell ?? '').split(',').map(Number);
    if (row !== undefined && column !== undefined) moveFocus.cell(row, column).onFocus();
  };
  return (
    <div className={styles.scroll}>
      <table
        ref={moveFocus.table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table that is walked by arrows is a grid (ARIA 1.2).
        role="grid"
        className={styles.portfolio}
        aria-label={t('products.title')}
        aria-rowcount={rows.length + 1}
        onKeyDown={moveFocus.step}
        onClick={follow}
        onFocus={arrive}
      >
        <thead>
          <tr>
            <th scope="col">{t('products.column.product')}</th>
            {environments.map((environment) => (
              <th key={environment.id} scope="col">
                <EnvironmentLink environment={environment} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {visible.map((row, index) => (
            <Row
              key={row.product.id}
              row={row}
              environments={environments}
              at={index}
              stop={index === moveFocus.row ? moveFocus.column : undefined}
              minute={minute}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const linkOf = (target: EventTarget): Element | null =>
  target instanceof Element ? target.closest('tbody a[href]') : null;

type RowProps = {
  readonly row: PortfolioRowFragment;
  readonly environments: readonly Environment[];
  readonly at: number;
  /** Column of the tab stop, if it is in this row. */
  readonly stop: number | undefined;
  /** Time of the page in minutes. */
  readonly minute: number;
};

/** Whether a row is drawn as before. Each answer has new objects for the same data. */
const isSameRow = (a: RowProps, b: RowProps): boolean =>
  a.at === b.at &&
  a.stop === b.stop &&
  a.minute === b.minute &&
  isSame(a.environments, b.environments) &&
  isSame(a.row, b.row);

const isSame = (a: object, b: object): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Row of a product. It is drawn again only when its data, its tab stop or the minute changes. */
const Row = memo(function Row({ row: { product, cells }, environments, at, stop, minute }: RowProps) {
  const now = new Date(minute * MINUTE_MS);
  const byEnvironment = new Map(cells.map((cell) => [cell.environmentId, fromCell(cell)]));
  return (
    <tr>
      <th scope="row">
        <a href={`/products/${product.id}`} data-cell={`${at},0`} tabIndex={stop === 0 ? 0 : -1}>
          {product.name}
        </a>
        {product.ownerGroups.length > 0 && <span className="quiet small">{product.ownerGroups.join(', ')}</span>}
      </th>
      {environments.map(({ id, name }, column) => {
        const found = byEnvironment.get(id);
        const path = found && actionPath(product.id, found);
        return (
          // On a phone, where a row is a list, only environments where something is or waits are listed.
          <td key={id} data-label={name} data-empty={path === undefined}>
            <Cell
              product={found}
              path={path}
              now={now}
              cell={`${at},${column + 1}`}
              tabIndex={stop === column + 1 ? 0 : -1}
            />
          </td>
        );
      })}
    </tr>
  );
}, isSameRow);

type CellProps = {
  readonly product: ProductInEnvironment | undefined;
  readonly path: string | undefined;
  readonly now: Date;
  readonly cell: string;
  readonly tabIndex: 0 | -1;
};

function Cell({ product, path, now, cell, tabIndex }: CellProps) {
  const content =
    product === undefined ? (
      <span className="quiet">{t('cell.off')}</span>
    ) : (
      <ProductState product={product} now={now} />
    );
  return path === undefined ? (
    <span className={styles.cell} data-cell={cell} tabIndex={tabIndex}>
      {content}
    </span>
  ) : (
    <a className={styles.cell} href={path} data-cell={cell} tabIndex={tabIndex}>
      {content}
    </a>
  );
}

import type { ReactNode } from 'react';
import { showOverflowTitle } from './overflow-title.ts';
import styles from './Table.module.css';

/**
 * A native table whose rows the feature writes. With `list` it becomes stacked rows on a phone. Give it a name by
 * `label`, or by `labelledBy` when a head above says it.
 */
export function Table({
  label,
  labelledBy,
  list = false,
  labelled = false,
  head,
  quietHead = false,
  children,
}: {
  readonly label?: string;
  readonly labelledBy?: string;
  readonly list?: boolean;
  /** On a phone a cell's `data-label` stands beside it. */
  readonly labelled?: boolean;
  /** Column heads in order; an empty one is a column of verbs and is named for readers by `verbs`. */
  readonly head: readonly {
    readonly name: string;
    readonly width?: string;
    readonly number?: boolean;
    readonly hidden?: boolean;
  }[];
  /** The heads are heard but not seen. */
  readonly quietHead?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <table
      className={list ? styles.list : undefined}
      aria-label={label}
      aria-labelledby={labelledBy}
      data-labelled={labelled}
      onPointerOver={showOverflowTitle}
    >
      <colgroup>
        {head.map(({ name, width }) => (
          <col key={name} style={width === undefined ? undefined : { width }} />
        ))}
      </colgroup>
      <thead className={quietHead ? 'sr' : undefined}>
        <tr>
          {head.map(({ name, number, hidden }) => (
            <th key={name} scope="col" className={number ? 'num' : undefined}>
              {hidden ? <span className="sr">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

import { Icon } from '../../ui/Icon.tsx';
import styles from './Scans.module.css';

type Step = {
  readonly key: string;
  readonly name: string;
  readonly place?: string;
  /** Stands for steps that are left out. */
  readonly isElided?: boolean;
  /** First difference between the paths of two graphs. */
  readonly isMarked?: boolean;
};

/** Steps from a start to an end, in their order, with arrows between them. */
export const PathChain = ({ label, steps }: { readonly label: string; readonly steps: readonly Step[] }) => (
  <ol className={styles.chain} aria-label={label}>
    {steps.map(({ key, name, place, isElided, isMarked }, index) => (
      <li key={key} data-elided={isElided} data-marked={isMarked}>
        {index > 0 && <Icon name="right" size={12} />}
        <span className="code" title={place}>
          {name}
        </span>
      </li>
    ))}
  </ol>
);

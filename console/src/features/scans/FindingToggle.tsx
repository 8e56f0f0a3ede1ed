import { listText } from '../../lib/i18n.ts';
import { Icon } from '../../ui/Icon.tsx';
import styles from './Scans.module.css';

/** Element id of the detail that the button of a finding opens. */
export const detailId = (findingId: string): string => `finding-${findingId}`;

type FindingToggleProps = {
  readonly id: string;
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly aliases: readonly string[];
  readonly children: string;
};

/** Id of a vulnerability, which opens and closes the finding's detail below its row. */
export const FindingToggle = ({ id, isOpen, toggle, aliases, children }: FindingToggleProps) => (
  <>
    <button
      type="button"
      data-open=""
      className={styles.toggle}
      aria-expanded={isOpen}
      aria-controls={isOpen ? detailId(id) : undefined}
      onClick={toggle}
    >
      <Icon name={isOpen ? 'chevron' : 'right'} size={14} />
      {children}
    </button>
    {aliases.length > 0 && <span className={styles.aliases}>{listText(aliases)}</span>}
  </>
);

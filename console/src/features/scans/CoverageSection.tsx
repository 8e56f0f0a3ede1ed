import { count } from '../../lib/i18n.ts';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { type Looks, ShapeIcon } from '../../ui/StateLabel.tsx';
import { coverageParts, unevaluated } from './coverage.ts';
import { t } from './labels.ts';
import type { Scan } from './ScanPage.tsx';
import styles from './Scans.module.css';

type Part = ReturnType<typeof coverageParts>[number]['part'];

const LOOKS: Looks<Part> = {
  evaluated: 'verified',
  noPurl: 'unobserved',
  unknownEcosystem: 'unobserved',
  badVersion: 'unobserved',
};

/** Components by outcome: those that were matched, and for the others the reason and the next step. */
export function CoverageSection({ scan: { coverage } }: { readonly scan: Scan }) {
  if (coverage === null) return null;
  const { components } = coverage;
  const parts = coverageParts(coverage);
  return (
    <Section title={t('coverage.title')} count={t('of', { n: coverage.evaluated, of: components })}>
      {components === 0 && <EmptyState>{t('coverage.none')}</EmptyState>}
      {components > 0 && (
        <div className={styles.coverage} aria-hidden="true">
          {parts.map(({ part, n }) => (
            <span key={part} data-part={part} style={{ flexGrow: n }} />
          ))}
        </div>
      )}
      <ul className={styles.lines}>
        {parts.map(({ part, n }) => (
          <li key={part}>
            <ShapeIcon look={LOOKS[part]} />
            <span>
              <b>{count(n)}</b> {t(`coverage.${part}`, { n })}
            </span>
            {part !== 'evaluated' && <p>{t(`coverage.${part}.next`)}</p>}
          </li>
        ))}
      </ul>
      {unevaluated(coverage) > 0 && <p className="soft">{t('coverage.note')}</p>}
    </Section>
  );
}

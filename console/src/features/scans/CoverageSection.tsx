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
export function CoverageSection({ scan: { coverage, components: listed } }: { readonly scan: Scan }) {
  if (coverage === null) return null;
  const { components, inconclusive } = coverage;
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
        {inconclusive > 0 && (
          <li>
            <ShapeIcon look="unobserved" />
            <span>
              <b>{count(inconclusive)}</b> {t('coverage.inconclusive', { n: inconclusive })}
            </span>
            <p>{t('coverage.inconclusive.next')}</p>
          </li>
        )}
      </ul>
      {listed.edges.length > 0 && (
        <details>
          <summary>{t('coverage.list')}</summary>
          <ul className="breaks">
            {lines(listed).map(({ place, text }) => (
              <li key={place}>{text}</li>
            ))}
          </ul>
        </details>
      )}
      {unevaluated(coverage) > 0 && <p className="soft">{t('coverage.note')}</p>}
    </Section>
  );
}

type Component = Scan['components']['edges'][number]['node'];

/** Component with the reason why it was not evaluated in full. */
const describe = ({ name, version, purl, outcome, inconclusive }: Component): string => {
  const component = purl ?? [name, version].filter(Boolean).join(' ');
  const reason =
    inconclusive.length > 0
      ? t('coverage.reason.advisories', { ids: inconclusive.join(', ') })
      : t(`coverage.reason.${outcome}`);
  return `${component}: ${reason}`;
};

/** Lines of the list. Components have no id, and the same one may be listed twice. */
const lines = ({ edges }: Scan['components']) => edges.map(({ node }, place) => ({ place, text: describe(node) }));

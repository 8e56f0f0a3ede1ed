import type { AnalysisCoverageFragment } from '../../generated/operations.ts';
import { listText } from '../../lib/i18n.ts';
import { purlText } from '../../lib/purl-text.ts';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';
import styles from './Scans.module.css';

/** Whether the analysis saw every call, and its limits. */
export function Analysis({ coverage }: { readonly coverage: AnalysisCoverageFragment }) {
  const { complete, incompletePackages, limitations } = coverage;
  const isWhole = complete && incompletePackages.length === 0;
  return (
    <div className={styles.result}>
      <StateLabel look={isWhole ? 'verified' : 'unobserved'}>
        {t(isWhole ? 'analysis.complete' : complete ? 'analysis.partly' : 'analysis.incomplete')}
      </StateLabel>
      {incompletePackages.length > 0 && (
        <span className="small soft">
          {t('analysis.packages', { names: listText(incompletePackages.map(purlText)) })}
        </span>
      )}
      {limitations.length > 0 && <span className="small soft">{limitations.join(' ')}</span>}
    </div>
  );
}

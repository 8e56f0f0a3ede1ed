import type { ScanFindingFragment } from '../../generated/operations.ts';
import { listText } from '../../lib/i18n.ts';
import { purlText, symbolParts } from '../../lib/purl-text.ts';
import { percentText } from '../../lib/score.ts';
import { DecisionText } from '../../parts/TriageDecision.tsx';
import { t as triageLabel } from '../../parts/triage-labels.ts';
import { Badge } from '../../ui/Badge.tsx';
import { DetailSection } from '../../ui/DetailToggle.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { ReachabilityLabel } from './FindingStates.tsx';
import { labelOr, t } from './labels.ts';
import { PathChain } from './PathChain.tsx';
import styles from './Scans.module.css';

/** Detail of a finding: its title, the path to its package, its ratings and the versions that fix it. */
export function FindingDetail({ finding }: { readonly finding: ScanFindingFragment }) {
  const { findingId, title, vulnId, aliases, purl, path, malicious, exposure, decision } = finding;
  const { fixedVersions, lowestCleanVersion } = finding;
  return (
    <DetailSection id={findingId} label={t('finding.detail', { id: vulnId })}>
      <p className="lead">
        {title ?? t('finding.untitled')} {malicious && <Badge tone="bad">{t('finding.malicious')}</Badge>}
      </p>
      <Facts look="page">
        {decision && (
          <Fact label={triageLabel('decision')}>
            <DecisionText decision={decision} />
          </Fact>
        )}
        <Fact label={t('finding.path')}>
          {path.length === 0 ? (
            <span className="quiet">{t('finding.path.none')}</span>
          ) : (
            <PathChain
              label={t('finding.path')}
              steps={path.map((one, index) => ({ key: `${index} ${one}`, name: purlText(one) }))}
            />
          )}
        </Fact>
        <Fact label={t('finding.rating')}>
          <Rating finding={finding} />
        </Fact>
        <Fact label={t('finding.fixed')}>
          <span>
            {fixedVersions.length === 0
              ? t('finding.fixed.unknown')
              : t('finding.fixed.all', { versions: listText(fixedVersions) })}{' '}
            {lowestCleanVersion === null
              ? t('finding.clean.none')
              : t('finding.clean', { version: lowestCleanVersion })}
          </span>
        </Fact>
        <Fact label={t('finding.reachability')}>
          <Reach finding={finding} />
        </Fact>
        <Fact label={t('finding.exposure')}>{t(`exposure.${exposure}`)}</Fact>
        <Fact label={t('finding.purl')} code={purl} />
        {aliases.length > 0 && <Fact label={t('finding.aliases')}>{listText(aliases)}</Fact>}
      </Facts>
    </DetailSection>
  );
}

function Rating({ finding }: { readonly finding: ScanFindingFragment }) {
  const { severitySource, cvss, cvssVector, vendorSeverity, epss } = finding;
  return (
    <span>
      {severitySource === 'CVSS' && cvss !== null && t('finding.rating.cvss', { score: cvss.toFixed(1) })}
      {severitySource === 'VENDOR' && t('finding.rating.vendor', { severity: vendorSeverity ?? t('none') })}
      {severitySource === 'DEFAULT' && t('finding.rating.default')}{' '}
      {cvssVector !== null && <span className="code breaks">{cvssVector}</span>}{' '}
      {epss === null ? t('finding.rating.noEpss') : t('finding.rating.epss', { chance: percentText(epss) })}
    </span>
  );
}

/** Reachability at the freeze, then the statement of each call graph with its reason. */
function Reach({ finding: { reachability, reachabilityStatements } }: { readonly finding: ScanFindingFragment }) {
  return (
    <ul>
      <li className="row">
        <ReachabilityLabel state={reachability} />
        <span className="small quiet">{t('reach.frozen')}</span>
      </li>
      {reachabilityStatements.map(({ language, reachability: stated, reason, symbol }) => (
        <li key={language} className={styles.statement}>
          <ReachabilityLabel state={stated} />
          <span className="small soft">
            {t('reach.graph', { language, reason: labelOr(`reach.reason.${reason}`, reason) })}
            {symbol !== null && <span className="code"> {symbolParts(symbol).name}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

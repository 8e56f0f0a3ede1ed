import type { DriftDirection, DriftSinkFragment } from '../../generated/operations.ts';
import { listText } from '../../lib/i18n.ts';
import { purlText, symbolParts } from '../../lib/purl-text.ts';
import { Badge } from '../../ui/Badge.tsx';
import { SeverityLabel } from '../../ui/SeverityLabel.tsx';
import { type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { causeText, pathSteps } from './drift-text.ts';
import { t } from './labels.ts';
import { PathChain } from './PathChain.tsx';
import styles from './Scans.module.css';

const DIRECTION: Looks<DriftDirection> = { BECAME_REACHABLE: 'failed', BECAME_UNREACHABLE: 'missing' };

/** Sinks of a drift, the greatest severity first, each with its cause and its path. */
export const DriftSinks = ({ sinks }: { readonly sinks: readonly DriftSinkFragment[] }) => (
  <ol className={styles.sinks} aria-label={t('drift.sinks')}>
    {sinks.map((sink) => (
      <li key={sink.id}>
        <Sink sink={sink} />
      </li>
    ))}
  </ol>
);

function Sink({ sink }: { readonly sink: DriftSinkFragment }) {
  const { direction, severity, symbol, purl, kind, vulnerabilityIds, cause, confidence, tentative, hops, path } = sink;
  const { name } = symbolParts(symbol);
  return (
    <article aria-label={name}>
      <div className={styles.sinkHead}>
        {severity === 'UNKNOWN' ? (
          <StateLabel look="unobserved">{t('finding.unrated')}</StateLabel>
        ) : (
          <SeverityLabel severity={severity} />
        )}
        <h3 className="code">{name}</h3>
        <span className="small quiet">{purlText(purl)}</span>
        <StateLabel look={DIRECTION[direction]}>{t(`direction.${direction}`)}</StateLabel>
        {tentative && <Badge tone="attention">{t('sink.tentative')}</Badge>}
      </div>
      <p>
        {causeText(cause)}{' '}
        <span className="quiet">
          {t(`sink.${kind}`, { ids: listText(vulnerabilityIds) })} {t(`confidence.${confidence}`)}
        </span>
      </p>
      {tentative && <p className="small soft">{t('sink.tentative.why')}</p>}
      <PathChain label={t('sink.path', { n: hops })} steps={pathSteps(path, cause)} />
    </article>
  );
}

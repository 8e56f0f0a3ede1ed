import { TimeNoticeDocument, type TimeNoticeQuery } from '../generated/operations.ts';
import { useLiveQuery } from '../lib/graph-hooks.ts';
import { age } from '../lib/time.ts';
import { type StaleSource, staleSources } from '../lib/time-notice.ts';
import { Banner } from '../ui/Banner.tsx';
import { Link } from '../ui/Link.tsx';
import { TimeStateLabel } from './TimeStateLabel.tsx';
import { t } from './trusted-time-labels.ts';

/** Banner of a seal, and of what is older than its budget under it; nothing where there is no seal. */
export function TimeNoticeBanner() {
  const { data } = useLiveQuery(TimeNoticeDocument, {}, ['AirGap']);
  return data === undefined ? null : <Notice status={data} />;
}

function Notice({ status }: { readonly status: TimeNoticeQuery }) {
  const stale = staleSources(status);
  if (status.airgap.mode !== 'SEALED') return null;
  const more = (
    <Link to="/airgap" search={{}}>
      {t('timeNotice.open')}
    </Link>
  );
  return (
    <Banner
      {...(stale.length > 0 && { tone: stale[0]?.state === 'BREACH' ? 'bad' : 'attention' })}
      title={t('timeNotice.sealed')}
      verb={more}
    >
      {stale.map((source) => (
        <span key={source.source} className="row">
          <TimeStateLabel state={source.state} />
          {sentence(source)}
        </span>
      ))}
      {stale.length === 0 && <span>{t('timeNotice.fresh')}</span>}
    </Banner>
  );
}

const sentence = ({ source, ageSeconds }: StaleSource): string =>
  ageSeconds === null ? t(`timeNotice.${source}.none`) : t(`timeNotice.${source}`, { age: age(ageSeconds * 1000) });

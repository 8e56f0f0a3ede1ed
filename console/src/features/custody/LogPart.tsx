import { TransparencyLogDocument, type TransparencyLogQuery } from '../../generated/operations.ts';
import { useLive } from '../../lib/graph.ts';
import { currentLocale } from '../../lib/i18n.ts';
import { Digest } from '../../ui/Digest.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Section } from '../../ui/Section.tsx';
import { SkeletonRows, States } from '../../ui/States.tsx';
import { Distance, Time } from '../../ui/Time.tsx';
import { Verbatim } from '../../ui/Verbatim.tsx';
import styles from './Custody.module.css';
import { FileButton } from './FileButton.tsx';
import { t } from './words.ts';

type Log = TransparencyLogQuery['transparencyLog'];

/** The log that all of it is in: how large, signed when, cosigned by whom, and how far it seals the audit trail. */
export function LogPart() {
  const log = useLive(TransparencyLogDocument, {}, ['Attestation', 'TransparencyLog']);
  return (
    <Section title={t('tlog.title')}>
      <States of={log} skeleton={<SkeletonRows rows={5} />} fault={t('tlog.fault')}>
        {({ transparencyLog }) => <LogFacts log={transparencyLog} />}
      </States>
    </Section>
  );
}

function LogFacts({
  log: { origin, treeSize, signedAt, checkpoint, witnesses, trustPath, seal },
}: {
  readonly log: Log;
}) {
  return (
    <>
      <div className={styles.about}>
        <Facts look="pairs">
          <Fact label={t('tlog.origin')}>
            <span className="code">{origin}</span>
          </Fact>
          <Fact label={t('tlog.size')}>{t('tlog.entries', { n: Number(treeSize) })}</Fact>
          <Fact label={t('tlog.signed')}>
            {signedAt === null ? <span className="quiet">{t('none')}</span> : <Time at={signedAt} />}
          </Fact>
          <Fact label={t('tlog.witnesses')}>
            {witnesses.length === 0 ? (
              <span className="quiet">{t('tlog.unwitnessed')}</span>
            ) : (
              new Intl.ListFormat(currentLocale()).format(witnesses)
            )}
          </Fact>
          <Fact label={t('tlog.seal')}>
            {seal === null ? <span className="quiet">{t('tlog.unsealed')}</span> : <Seal seal={seal} />}
          </Fact>
        </Facts>
      </div>
      {checkpoint !== null && (
        <details>
          <summary>{t('tlog.checkpoint')}</summary>
          <Verbatim label={t('tlog.checkpoint')} text={checkpoint} />
        </details>
      )}
      <p className={styles.papers}>
        <FileButton path={trustPath} name="trust.json">
          {t('tlog.trust')}
        </FileButton>
      </p>
    </>
  );
}

/** The newest batch of the audit trail, and its entry in the log. */
function Seal({
  seal: { sequence, hash, eventCount, sealedAt, logIndex },
}: {
  readonly seal: NonNullable<Log['seal']>;
}) {
  return (
    <>
      {t('tlog.sealed', { n: Number(sequence), events: eventCount })} <Distance at={sealedAt} as="relative" />
      {', '}
      {logIndex === null ? t('tlog.seal.waits') : t('statement.entry', { n: Number(logIndex) })} <Digest value={hash} />
    </>
  );
}

import { TransparencyLogDocument, type TransparencyLogQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { FileButton } from '../../parts/FileButton.tsx';
import { CollapsedCode } from '../../ui/CodeBlock.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime, Time } from '../../ui/Time.tsx';
import styles from './Custody.module.css';
import { t } from './labels.ts';

type Log = TransparencyLogQuery['transparencyLog'];

/** Transparency log: its size, its signature, its witnesses, and how far it seals the audit trail. */
export function TransparencyLog() {
  const log = useLiveQuery(TransparencyLogDocument, {}, ['Attestation', 'TransparencyLog']);
  return (
    <Section title={t('tlog.title')}>
      <QueryResult of={log} skeleton={<SkeletonRows rows={5} />} fault={t('tlog.fault')}>
        {({ transparencyLog }) => <LogFacts log={transparencyLog} />}
      </QueryResult>
    </Section>
  );
}

type LogFactsProps = { readonly log: Log };

function LogFacts({ log: { origin, treeSize, signedAt, checkpoint, witnesses, trustPath, seal } }: LogFactsProps) {
  return (
    <>
      <div className={styles.about}>
        <Facts look="pairs">
          <Fact label={t('tlog.origin')} code={origin} />
          <Fact label={t('tlog.size')}>{t('tlog.entries', { n: Number(treeSize) })}</Fact>
          <Fact label={t('tlog.signed')}>
            {signedAt === null ? <span className="quiet">{t('none')}</span> : <Time at={signedAt} />}
          </Fact>
          <Fact label={t('tlog.witnesses')}>
            {witnesses.length === 0 ? <span className="quiet">{t('tlog.unwitnessed')}</span> : listText(witnesses)}
          </Fact>
          <Fact label={t('tlog.seal')}>
            {seal === null ? <span className="quiet">{t('tlog.unsealed')}</span> : <Seal seal={seal} />}
          </Fact>
        </Facts>
      </div>
      {checkpoint !== null && <CollapsedCode label={t('tlog.checkpoint')} text={checkpoint} />}
      <p className={styles.papers}>
        <FileButton path={trustPath} name="trust.json">
          {t('tlog.trust')}
        </FileButton>
      </p>
    </>
  );
}

type SealProps = { readonly seal: NonNullable<Log['seal']> };

/** Newest batch of the audit trail, and its entry in the log. */
function Seal({ seal: { sequence, hash, eventCount, sealedAt, logIndex } }: SealProps) {
  return (
    <>
      {t('tlog.sealed', { n: Number(sequence), events: eventCount })} <RelativeTime at={sealedAt} as="relative" />
      {', '}
      {logIndex === null ? t('tlog.seal.notLogged') : t('statement.entry', { n: Number(logIndex) })}{' '}
      <Digest value={hash} />
    </>
  );
}

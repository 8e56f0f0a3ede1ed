import { useState } from 'react';
import {
  type AirGapFactsFragment,
  AirGapStateDocument,
  SealEnvironmentDocument,
  SealPreflightDocument,
  type TimeFactsFragment,
} from '../../generated/operations.ts';
import { useQueryOnce } from '../../lib/graph-hooks.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { Banner } from '../../ui/Banner.tsx';
import { Checkbox, TextArea } from '../../ui/Form.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import styles from './AirGap.module.css';
import { t } from './labels.ts';
import { Preflight } from './Preflight.tsx';

type SealDialogProps = {
  readonly airgap: AirGapFactsFragment;
  readonly time: TimeFactsFragment;
  readonly close: () => void;
};

/** Question before a seal: the preflight first, then the reason. What breaks has to be acknowledged. */
export function SealDialog({ airgap: { version, policy }, time, close }: SealDialogProps) {
  const preflight = useQueryOnce(SealPreflightDocument, { policy: null }, String(version));
  const [isKnown, setKnown] = useState(false);
  const found = preflight.data?.sealPreflight;
  return (
    <FormDialog
      document={SealEnvironmentDocument}
      input={(fields) => {
        fields.need('reason', t('seal.reason.missing'));
        return { reason: fields.text('reason'), expectedVersion: version };
      }}
      done={t('seal.done')}
      refetch={[AirGapStateDocument]}
      title={t('seal.title')}
      verb={t('seal.verb')}
      off={
        policy === null
          ? t('seal.off.policy')
          : found === undefined
            ? t('seal.off.preflight')
            : found.breaking > 0 && !isKnown
              ? t('seal.off.known')
              : false
      }
      wide
      close={close}
    >
      <p className="soft">{t('seal.lead')}</p>
      {time.state !== 'FRESH' && time.state !== 'WARNING' && (
        <Banner tone="attention" title={t('seal.anchor')}>
          {t('seal.anchor.next')}
        </Banner>
      )}
      {policy !== null && (
        <QueryResult of={preflight} skeleton={<SkeletonRows rows={3} />} fault={t('sealPreflight.fault')}>
          {({ sealPreflight }) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1).
            <section className={styles.list} aria-label={t('sealPreflight.title')} tabIndex={0}>
              <Preflight of={sealPreflight} />
            </section>
          )}
        </QueryResult>
      )}
      {found !== undefined && found.breaking > 0 && (
        <Checkbox label={t('seal.known', { n: found.breaking })} checked={isKnown} onValue={setKnown} />
      )}
      <TextArea name="reason" label={t('reason')} hint={t('field.audited')} maxLength={500} required rows={2} />
    </FormDialog>
  );
}

import { useState } from 'react';
import {
  type AirGapFactsFragment,
  AirGapStateDocument,
  SealPreflightDocument,
  SetEgressPolicyDocument,
} from '../../generated/operations.ts';
import { useAnswer } from '../../lib/use-answer.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { ActionError, Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Checkbox, TextField } from '../../ui/Form.tsx';
import styles from './AirGap.module.css';
import { field, t } from './labels.ts';
import { Preflight } from './Preflight.tsx';
import { draftOf, type PolicyDraft, policyInputOf, withoutEmptyRules, wrongPorts } from './policy-draft.ts';
import { RuleFields } from './RuleFields.tsx';

type PolicyFormProps = { readonly airgap: AirGapFactsFragment; readonly close: () => void };

/** Editor of the egress policy. It is saved over the version that was read; a newer one is shown before it is replaced. */
export function PolicyForm({ airgap, close }: PolicyFormProps) {
  const [read, setRead] = useState(airgap.version);
  const [draft, setDraft] = useState(() => draftOf(airgap.policy));
  const change = (next: Partial<PolicyDraft>) => setDraft({ ...draft, ...next });
  const takeNewer = () => {
    setRead(airgap.version);
    setDraft(draftOf(airgap.policy));
  };
  return (
    <FormDialog
      document={SetEgressPolicyDocument}
      input={(fields) => {
        const sent = withoutEmptyRules(draft);
        setDraft(sent);
        for (const index of wrongPorts(sent))
          fields.wrong.push({
            field: `policy.allowRules.${index}.port`,
            message: t('egressRule.port.wrong'),
            code: '',
          });
        return { policy: policyInputOf(sent), expectedVersion: read };
      }}
      done={t('egressPolicy.saved')}
      refetch={[AirGapStateDocument]}
      title={t('egressPolicy.edit')}
      verb={t('egressPolicy.save')}
      keeps={false}
      wide
      close={close}
    >
      <p className="soft">{t(`egressPolicy.edit.lead.${airgap.mode}`)}</p>
      {airgap.version !== read && (
        <Banner
          tone="attention"
          title={t('egressPolicy.newer', { name: airgap.changedBy?.displayName ?? '' })}
          verb={
            <span className="row">
              <Button size="small" onClick={takeNewer}>
                {t('egressPolicy.newer.take')}
              </Button>
              <Button size="small" weight="plain" onClick={() => setRead(airgap.version)}>
                {t('egressPolicy.newer.keep')}
              </Button>
            </span>
          }
        />
      )}
      <div>
        <Checkbox
          label={t('egressPolicy.allowLoopback.long')}
          checked={draft.allowLoopback}
          onValue={(allowLoopback) => change({ allowLoopback })}
        />
        <Checkbox
          label={t('egressPolicy.allowPrivateNetworks.long')}
          checked={draft.allowPrivateNetworks}
          onValue={(allowPrivateNetworks) => change({ allowPrivateNetworks })}
        />
      </div>
      <RuleFields rules={draft.rules} change={(rules) => change({ rules })} />
      <TextField
        {...field('policy.remediationDocumentationUrl', 'egressPolicy.url')}
        value={draft.remediationDocumentationUrl}
        maxLength={2000}
        onValue={(remediationDocumentationUrl) => change({ remediationDocumentationUrl })}
      />
      <TextField
        {...field('policy.supportContact', 'egressPolicy.contact')}
        value={draft.supportContact}
        maxLength={500}
        onValue={(supportContact) => change({ supportContact })}
      />
      <Trial draft={draft} />
    </FormDialog>
  );
}

/** Preflight of the policy as it is on the screen, before it is saved. */
function Trial({ draft }: { readonly draft: PolicyDraft }) {
  const trial = useAnswer(SealPreflightDocument);
  const ask = () => void trial.ask({ policy: policyInputOf(withoutEmptyRules(draft)) });
  return (
    <div className="stack" style={{ gap: 8 }}>
      <p className="row" style={{ flexWrap: 'wrap' }}>
        <Button size="small" busy={trial.busy} onClick={ask}>
          {t('egressPolicy.try')}
        </Button>
        <span className="small quiet">{t('egressPolicy.try.hint')}</span>
      </p>
      <ActionError problem={trial.problem} />
      {trial.data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1).
        <section className={styles.list} aria-label={t('sealPreflight.title')} tabIndex={0}>
          <Preflight of={trial.data.sealPreflight} />
        </section>
      )}
    </div>
  );
}

import { useState } from 'react';
import { DecideFindingDocument, ProductsOfScanDocument, type ScanFindingFragment } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { useNow } from '../../lib/now.ts';
import { purlText } from '../../lib/purl-text.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { Select, TextArea, TextField } from '../../ui/Form.tsx';
import { field, t } from './decide-labels.ts';
import {
  EXPIRIES,
  expiriesOf,
  JUSTIFICATIONS,
  STATUSES,
  type TriageChoices,
  triageInput,
  triageProblems,
  typedText,
  withStatus,
} from './triage-input.ts';

type TriageDialogProps = {
  readonly scanId: string;
  readonly finding: ScanFindingFragment;
  readonly close: () => void;
};

/** Dialog that decides about the findings of a vulnerability, beginning with the decision that is in force. */
export function TriageDialog({ scanId, finding, close }: TriageDialogProps) {
  const { vulnId: id, decision } = finding;
  const now = useNow();
  const [choices, setChoices] = useState<TriageChoices>(() => ({
    status: decision?.status ?? 'NOT_AFFECTED',
    scope: decision?.scope ?? 'COMPONENT',
    expiry: decision?.expiresAt ? 'DAY' : 'NEVER',
  }));
  const messages = {
    expiry: t('decide.expiry.invalid'),
    justification: t('decide.invalid.justification'),
    reason: t('reason.missing'),
  };
  return (
    <FormDialog
      document={DecideFindingDocument}
      input={(fields) => triageInput(finding, choices, fields, { now, messages })}
      problems={triageProblems}
      done={({ decideFinding: { status } }) => t('decide.done', { status: t(`triage.status.${status}`), id })}
      refetch="active"
      title={t('decide.title', { id })}
      verb={t('decide.verb')}
      wide
      close={close}
    >
      <p className="soft">{t('decide.lead')}</p>
      <Select
        name="status"
        label={t('decide.status')}
        hint={t(`triage.status.${choices.status}.hint`)}
        value={choices.status}
        onValue={(value) => {
          const status = STATUSES.find((one) => one === value);
          if (status !== undefined) setChoices(withStatus(choices, status));
        }}
        options={STATUSES.map((value) => ({ value, label: t(`triage.status.${value}`) }))}
      />
      <Scope scanId={scanId} finding={finding} choices={choices} choose={setChoices} />
      {choices.status === 'NOT_AFFECTED' && <Justification decision={decision} />}
      <TextArea
        name="reason"
        label={t('reason')}
        hint={t('decide.reason.hint')}
        defaultValue={decision?.reason ?? ''}
        maxLength={2000}
        required
      />
      <Expires expiresAt={decision?.expiresAt ?? null} choices={choices} choose={setChoices} />
    </FormDialog>
  );
}

type ChoiceProps = { readonly choices: TriageChoices; readonly choose: (choices: TriageChoices) => void };

type ScopeProps = ChoiceProps & Omit<TriageDialogProps, 'close'>;

/** Scope of a decision. A product is offered where a release of it has the scanned image: another would not decide this. */
function Scope({ scanId, finding, choices, choose }: ScopeProps) {
  const { data } = useLiveQuery(ProductsOfScanDocument, { id: scanId });
  const releases = data?.scan?.artifact?.releases ?? [];
  const products = new Map(releases.map(({ product }) => [product.id, product.name]));
  const decided = finding.decision?.product;
  if (decided) products.set(decided.id, decided.name);
  const scopes = (['COMPONENT', 'PRODUCT', 'TENANT'] as const).filter((one) => one !== 'PRODUCT' || products.size > 0);
  return (
    <>
      <Select
        name="scope"
        label={t('decide.scope')}
        hint={t(`decide.scope.${choices.scope}.hint`)}
        value={choices.scope}
        onValue={(value) => {
          const scope = scopes.find((one) => one === value);
          if (scope !== undefined) choose({ ...choices, scope });
        }}
        options={scopes.map((value) => ({
          value,
          label: t(`decide.scope.${value}`, { component: purlText(finding.purl) }),
        }))}
      />
      {choices.scope === 'PRODUCT' && (
        <Select
          name="productId"
          label={t('decide.product')}
          {...(decided && { defaultValue: decided.id })}
          options={[...products].map(([value, label]) => ({ value, label }))}
        />
      )}
    </>
  );
}

/** Ground of `not affected`: a justification of OpenVEX, an impact statement, or both. */
function Justification({ decision }: Pick<ScanFindingFragment, 'decision'>) {
  return (
    <>
      <Select
        name="justification"
        label={t('decide.justification')}
        defaultValue={decision?.justification ?? ''}
        options={[
          { value: '', label: t('decide.justification.none') },
          ...JUSTIFICATIONS.map((value) => ({ value, label: t(`justification.${value}`) })),
        ]}
      />
      <TextArea
        {...field('impactStatement', 'decide.impact')}
        defaultValue={decision?.impactStatement ?? ''}
        maxLength={2000}
        rows={2}
      />
    </>
  );
}

/** End of a decision. A refusal of it is shown in the field that the user filled. */
function Expires({ expiresAt, choices, choose }: ChoiceProps & { readonly expiresAt: string | null }) {
  const { status, expiry } = choices;
  const isTyped = expiry === 'DAY';
  return (
    <>
      <Select
        name={isTyped ? 'expiry' : 'expiresAt'}
        label={t('decide.expiry')}
        hint={t(status === 'ACCEPTED' ? 'decide.expiry.accepted' : 'decide.expiry.hint')}
        value={expiry}
        onValue={(value) => {
          const next = EXPIRIES.find((one) => one === value);
          if (next !== undefined) choose({ ...choices, expiry: next });
        }}
        options={expiriesOf(status).map((value) => ({
          value,
          label:
            value === 'NEVER' || value === 'DAY'
              ? t(`decide.expiry.${value}`)
              : t('decide.expiry.AFTER', { n: Number(value) }),
        }))}
      />
      {isTyped && (
        <TextField
          name="expiresAt"
          label={t('decide.expiry.at')}
          type="datetime-local"
          defaultValue={typedText(expiresAt)}
        />
      )}
    </>
  );
}

import { useState } from 'react';
import {
  CreateTrustedSignerDocument,
  type SignerPurpose,
  type TrustedSignerKind,
  TrustedSignersDocument,
} from '../../generated/operations.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { Checkbox, SegmentedControl, TextArea, TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';

const KINDS = ['KEY', 'IDENTITY'] as const satisfies readonly TrustedSignerKind[];
const PURPOSES = ['IMAGE', 'SOURCE', 'BUILD'] as const satisfies readonly SignerPurpose[];

const REQUIRED_FIELDS: Readonly<Record<TrustedSignerKind, readonly string[]>> = {
  KEY: ['name', 'publicKey'],
  IDENTITY: ['name', 'issuer', 'identity', 'trustedRoot'],
};

/** Dialog that trusts a key, or an identity of a certificate authority, for some purposes. */
export function CreateSigner({ close }: { readonly close: () => void }) {
  const [kind, choose] = useState<TrustedSignerKind>('KEY');
  const [purposes, count] = useState<ReadonlySet<SignerPurpose>>(new Set(['IMAGE']));
  const toggle = (purpose: SignerPurpose) => (on: boolean) =>
    count((before) => new Set(PURPOSES.filter((one) => (one === purpose ? on : before.has(one)))));
  return (
    <FormDialog
      document={CreateTrustedSignerDocument}
      input={({ need, text, maybe }) => {
        for (const name of REQUIRED_FIELDS[kind]) need(name);
        return {
          kind,
          name: text('name'),
          purposes: PURPOSES.filter((purpose) => purposes.has(purpose)),
          builderId: maybe('builderId'),
          trustedRoot: maybe('trustedRoot'),
          ...(kind === 'KEY'
            ? { publicKey: text('publicKey') }
            : { issuer: text('issuer'), identity: text('identity') }),
        };
      }}
      done={({ createTrustedSigner: { name } }) => t('signer.created', { name })}
      refetch={[TrustedSignersDocument]}
      off={purposes.size === 0 && t('signer.counts.none')}
      // The form is long: below its fields a refusal would be out of sight.
      problemFirst
      title={t('signer.create')}
      verb={t('signer.create.verb')}
      wide
      close={close}
    >
      <p className="soft">{t('signer.lead')}</p>
      <SegmentedControl
        label={t('integration.kind')}
        value={kind}
        options={KINDS.map((value) => ({ value, label: t(`signer.${value}`) }))}
        choose={choose}
      />
      <TextField {...field('name', 'integration.name')} hint={t('signer.name.hint')} maxLength={64} autoFocus />
      {kind === 'KEY' ? <KeyFields /> : <IdentityFields />}
      <fieldset>
        <legend>{t('signer.counts')}</legend>
        {PURPOSES.map((purpose) => (
          <Checkbox
            key={purpose}
            label={t(`signer.purpose.${purpose}`)}
            checked={purposes.has(purpose)}
            onValue={toggle(purpose)}
          />
        ))}
      </fieldset>
      <TextArea {...field('trustedRoot', 'signer.root')} hint={t(`signer.root.${kind}`)} maxLength={262_144} rows={3} />
      <TextField {...field('builderId', 'signer.builder')} maxLength={2000} />
    </FormDialog>
  );
}

const KeyFields = () => <TextArea {...field('publicKey', 'signer.publicKey')} maxLength={8192} rows={5} />;

const IdentityFields = () => (
  <>
    <TextField {...field('issuer', 'signer.issuer')} maxLength={2000} />
    <TextField {...field('identity', 'signer.identity')} maxLength={2000} />
  </>
);

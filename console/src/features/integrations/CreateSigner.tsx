import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import {
  CreateTrustedSignerDocument,
  type SignerPurpose,
  type TrustedSignerKind,
  TrustedSignersDocument,
} from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import { useAction } from '../../lib/graph.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { Checkbox, Form, SegmentedControl, TextArea, TextField } from '../../ui/Form.tsx';
import { toast } from '../../ui/Toast.tsx';
import { field, t } from './labels.ts';

const KINDS = ['KEY', 'IDENTITY'] as const satisfies readonly TrustedSignerKind[];
const PURPOSES = ['IMAGE', 'SOURCE', 'BUILD'] as const satisfies readonly SignerPurpose[];

const NEEDED: Readonly<Record<TrustedSignerKind, readonly string[]>> = {
  KEY: ['name', 'publicKey'],
  IDENTITY: ['name', 'issuer', 'identity', 'trustedRoot'],
};

/** Names a key, or an identity of a certificate authority, and what its signatures count for. */
export function CreateSigner({ close }: { readonly close: () => void }) {
  const [kind, choose] = useState<TrustedSignerKind>('KEY');
  const [purposes, count] = useState<ReadonlySet<SignerPurpose>>(new Set(['IMAGE']));
  const [wrong, setWrong] = useState<readonly FieldProblem[]>([]);
  const verb = useAction(CreateTrustedSignerDocument);
  const client = useApolloClient();
  const toggle = (purpose: SignerPurpose) => (on: boolean) =>
    count((before) => new Set(PURPOSES.filter((one) => (one === purpose ? on : before.has(one)))));
  const submit = async (data: FormData) => {
    const fields = readFields(data);
    for (const name of NEEDED[kind]) fields.need(name);
    setWrong(fields.wrong);
    if (fields.wrong.length > 0) return verb.clear();
    const { text, maybe } = fields;
    const done = await verb.run({
      kind,
      name: text('name'),
      purposes: PURPOSES.filter((purpose) => purposes.has(purpose)),
      builderId: maybe('builderId'),
      trustedRoot: maybe('trustedRoot'),
      ...(kind === 'KEY' ? { publicKey: text('publicKey') } : { issuer: text('issuer'), identity: text('identity') }),
    });
    if (done === undefined) return;
    toast(t('signer.created', { name: done.createTrustedSigner.name }));
    close();
    await client.refetchQueries({ include: [TrustedSignersDocument] });
  };
  return (
    <Dialog title={t('signer.create')} close={close} wide>
      <Form problems={wrong.length > 0 ? wrong : verb.problem?.fields} submit={submit}>
        <p className="soft">{t('signer.lead')}</p>
        {/* The form is long: below its fields a refusal would be out of sight. */}
        <ActionError problem={verb.problem} />
        <SegmentedControl
          label={t('integration.kind')}
          value={kind}
          options={KINDS.map((value) => ({ value, label: t(`signer.${value}`) }))}
          choose={choose}
        />
        <TextField name="name" label={t('integration.name')} hint={t('signer.name.hint')} maxLength={64} autoFocus />
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
        <TextArea
          name="trustedRoot"
          label={t('signer.root')}
          hint={t(`signer.root.${kind}`)}
          maxLength={262_144}
          rows={3}
        />
        <TextField {...field('builderId', 'signer.builder')} maxLength={2000} />
        <DialogFoot>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button
            type="submit"
            weight="primary"
            busy={verb.busy}
            off={purposes.size === 0}
            aria-describedby={purposes.size === 0 ? 'signer-off' : undefined}
          >
            {t('signer.create.verb')}
          </Button>
        </DialogFoot>
        {purposes.size === 0 && (
          <p className="small quiet" id="signer-off">
            {t('signer.counts.none')}
          </p>
        )}
      </Form>
    </Dialog>
  );
}

const KeyFields = () => <TextArea {...field('publicKey', 'signer.publicKey')} maxLength={8192} rows={5} />;

const IdentityFields = () => (
  <>
    <TextField {...field('issuer', 'signer.issuer')} maxLength={2000} />
    <TextField {...field('identity', 'signer.identity')} maxLength={2000} />
  </>
);

import { useState } from 'react';
import {
  CreateVexSourceDocument,
  UpdateVexSourceDocument,
  type VexSourceRowFragment,
  VexSourcesDocument,
  type VexSourceTrust,
} from '../../generated/operations.ts';
import type { FormFields } from '../../lib/form-fields.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { Select, TextArea, TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';

const TRUSTS = ['TRUSTED', 'SIGNED', 'UNTRUSTED'] as const satisfies VexSourceTrust[];

const DEFAULT_RANK = '10';

type RegisterSourceProps = { readonly close: () => void; readonly open: (id: string) => void };

/** Dialog that registers a source and opens its page, where its first document is added. */
export function RegisterSource({ close, open }: RegisterSourceProps) {
  const [trust, choose] = useState<VexSourceTrust>('TRUSTED');
  return (
    <FormDialog
      document={CreateVexSourceDocument}
      input={(fields) => {
        fields.need('name');
        const rank = rankOf(fields);
        return rank === null ? undefined : { name: fields.text('name'), rank, trust, ...keyOf(fields, trust) };
      }}
      done={({ createVexSource: { name } }) => t('vexSource.created.done', { name })}
      refetch={[VexSourcesDocument]}
      onDone={({ createVexSource: { id } }) => open(id)}
      title={t('vexSource.register')}
      verb={t('vexSource.register.verb')}
      close={close}
    >
      <p className="soft">{t('vexSource.register.lead')}</p>
      <TextField {...field('name', 'vexSource.name')} maxLength={64} autoFocus />
      <Fields trust={trust} choose={choose} source={undefined} />
    </FormDialog>
  );
}

type EditSourceProps = { readonly source: VexSourceRowFragment; readonly close: () => void };

/** Dialog that changes rank, trust or key of a source. */
export function EditSource({ source, close }: EditSourceProps) {
  const { id, name } = source;
  const [trust, choose] = useState(source.trust);
  return (
    <FormDialog
      document={UpdateVexSourceDocument}
      input={(fields) => {
        const rank = rankOf(fields);
        return rank === null ? undefined : { id, rank, trust, ...keyOf(fields, trust) };
      }}
      done={t('vexSource.saved', { name })}
      refetch={[VexSourcesDocument]}
      title={t('vexSource.edit.label', { name })}
      verb={t('save')}
      close={close}
    >
      <p className="soft">{t('vexSource.edit.lead')}</p>
      <Fields trust={trust} choose={choose} source={source} />
    </FormDialog>
  );
}

function rankOf(fields: FormFields): number | null {
  fields.need('rank');
  return fields.whole('rank');
}

/** Key of a source of signed documents, which is required; another source has none. */
function keyOf(fields: FormFields, trust: VexSourceTrust): { readonly publicKey?: string } {
  if (trust !== 'SIGNED') return {};
  fields.need('publicKey');
  return { publicKey: fields.text('publicKey') };
}

type FieldsProps = {
  readonly trust: VexSourceTrust;
  readonly choose: (trust: VexSourceTrust) => void;
  readonly source: VexSourceRowFragment | undefined;
};

const Fields = ({ trust, choose, source }: FieldsProps) => (
  <>
    <TextField
      {...field('rank', 'vexSource.rank')}
      inputMode="numeric"
      defaultValue={source === undefined ? DEFAULT_RANK : String(source.rank)}
      autoFocus={source !== undefined}
    />
    <Select
      name="trust"
      label={t('vexSource.trust')}
      hint={t(`vexSource.trust.${trust}.hint`)}
      value={trust}
      onValue={(value) => choose(TRUSTS.find((one) => one === value) ?? trust)}
      options={TRUSTS.map((value) => ({ value, label: t(`vexSource.trust.${value}`) }))}
    />
    {trust === 'SIGNED' && (
      <TextArea
        {...field('publicKey', 'vexSource.key')}
        defaultValue={source?.publicKey ?? ''}
        maxLength={8192}
        rows={4}
      />
    )}
  </>
);

import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { ImageAdmissionDocument, type ImageAdmissionQuery } from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import { type FieldProblem, type Problem, problemOf } from '../../lib/problem.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFooter } from '../../ui/DialogFooter.tsx';
import { CheckLabel } from '../../ui/EntityStates.tsx';
import { Form, TextField } from '../../ui/Form.tsx';
import { Time } from '../../ui/Time.tsx';
import { field, t } from './labels.ts';

type Admission = ImageAdmissionQuery['imageAdmission'];

/**
 * Dialog that reads an image's attestations now and checks them against the trusted signers, without changing anything.
 */
export function CheckImage({ close }: { readonly close: () => void }) {
  const client = useApolloClient();
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<readonly FieldProblem[]>([]);
  const [problem, setProblem] = useState<Problem>();
  const [found, setFound] = useState<Admission>();
  const submit = async (data: FormData) => {
    const fields = readFields(data);
    for (const name of ['repository', 'digest']) fields.need(name);
    setWrong(fields.wrong);
    setProblem(undefined);
    setFound(undefined);
    if (fields.wrong.length > 0) return;
    setBusy(true);
    const variables = { repository: fields.text('repository'), digest: fields.text('digest') };
    try {
      const { data: answer } = await client.query({
        query: ImageAdmissionDocument,
        variables,
        fetchPolicy: 'no-cache',
      });
      setFound(answer?.imageAdmission);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  return (
    <Dialog title={t('image.create')} close={close} wide light>
      <Form problems={wrong.length > 0 ? wrong : problem?.fields} submit={submit}>
        <p className="soft">{t('image.lead')}</p>
        <TextField {...field('repository', 'component.repository')} maxLength={512} autoFocus />
        <TextField name="digest" label={t('component.digest')} hint={t('image.digest.hint')} maxLength={80} />
        <ActionError problem={problem} />
        <div role="status">{found !== undefined && <Found admission={found} />}</div>
        <DialogFooter>
          <Button onClick={close}>{t('image.close')}</Button>
          <Button type="submit" weight="primary" busy={busy}>
            {t('image.verb')}
          </Button>
        </DialogFooter>
      </Form>
    </Dialog>
  );
}

function Found({ admission: { status, findings, checkedAt } }: { readonly admission: Admission }) {
  return (
    <div className="stack">
      <p className="row">
        <CheckLabel status={status}>{t(`image.${status}`)}</CheckLabel>
        <span className="quiet">
          <Time at={checkedAt} as="clock" />
        </span>
      </p>
      <DataTable
        empty={t('image.nothing')}
        label={t('image.findings')}
        rows={findings}
        rowId={({ type, signer, detail }) => `${type} ${signer ?? ''} ${detail}`}
        columns={[
          { name: t('image.found'), className: 'breaks', cell: ({ type }) => <span className="code">{type}</span> },
          {
            name: t('image.result'),
            cell: ({ status: one }) => <CheckLabel status={one}>{t(`check.${one}`)}</CheckLabel>,
          },
          {
            name: t('image.detail'),
            className: 'soft breaks',
            cell: ({ detail, signer }) => (
              <>
                {detail}
                {signer !== null && <p className="code">{signer}</p>}
              </>
            ),
          },
        ]}
      />
    </div>
  );
}

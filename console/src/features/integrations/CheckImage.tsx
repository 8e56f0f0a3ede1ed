import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { ImageAdmissionDocument, type ImageAdmissionQuery } from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import { type FieldProblem, type Problem, problemOf } from '../../lib/problem.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { CheckLabel } from '../../ui/EntityStates.tsx';
import { Form, TextField } from '../../ui/Form.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type Admission = ImageAdmissionQuery['imageAdmission'];

/** Reads what an image says of itself, now, and holds it against whom the tenant trusts. It changes nothing. */
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
        <TextField
          name="repository"
          label={t('component.repository')}
          hint={t('component.repository.hint')}
          placeholder={t('component.repository.example')}
          maxLength={512}
          autoFocus
        />
        <TextField name="digest" label={t('component.digest')} hint={t('image.digest.hint')} maxLength={80} />
        <ActionError problem={problem} />
        <div role="status">{found !== undefined && <Found admission={found} />}</div>
        <DialogFoot>
          <Button onClick={close}>{t('image.close')}</Button>
          <Button type="submit" weight="primary" busy={busy}>
            {t('image.verb')}
          </Button>
        </DialogFoot>
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
      {findings.length === 0 ? (
        <EmptyState>{t('image.nothing')}</EmptyState>
      ) : (
        <Table
          label={t('image.findings')}
          list
          head={[{ name: t('image.found') }, { name: t('image.result') }, { name: t('image.detail') }]}
        >
          {findings.map(({ type, status: one, signer, detail }) => (
            <tr key={`${type} ${signer ?? ''} ${detail}`}>
              <th scope="row" style={{ whiteSpace: 'normal' }}>
                <span className="code">{type}</span>
              </th>
              <td>
                <CheckLabel status={one}>{t(`check.${one}`)}</CheckLabel>
              </td>
              <td className="soft breaks">
                {detail}
                {signer !== null && <p className="code">{signer}</p>}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </div>
  );
}

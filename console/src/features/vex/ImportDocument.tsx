import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { ImportVexDocumentDocument, VexSourceDetailDocument } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { FileField } from '../../ui/FileField.tsx';
import { Form, TextArea } from '../../ui/Form.tsx';
import { FormFooter } from '../../ui/FormFooter.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

/** Largest document of one request in characters: the request has at most 1 MiB, and quotation marks are escaped in it. */
const MAX_CHARACTERS = 700_000;

type ImportDocumentProps = {
  /** Name of the source. */
  readonly source: string;
  readonly close: () => void;
};

/** Dialog that adds a document to a source. The file is read in the browser; parts that cannot be read are left out. */
export function ImportDocument({ source, close }: ImportDocumentProps) {
  const client = useApolloClient();
  const action = useAction(ImportVexDocumentDocument);
  const [wrong, setWrong] = useState<string>();
  const submit = async (data: FormData) => {
    const file = data.get('file');
    if (!(file instanceof File) || file.size === 0) return setWrong(t('vexDocument.file.none'));
    const document = await file.text();
    if (document.length > MAX_CHARACTERS) return setWrong(t('vexDocument.file.large', { max: MAX_CHARACTERS }));
    setWrong(undefined);
    const signature = String(data.get('signature') ?? '').trim() || null;
    const answer = await action.run({ source, document, signature });
    if (answer === undefined) return;
    const { statementCount: n, problemCount: problems } = answer.importVexDocument;
    toast(t('vexDocument.added', { n, problems }));
    close();
    await client.refetchQueries({ include: [VexSourceDetailDocument] });
  };
  return (
    <Dialog title={t('vexDocument.add.title', { name: source })} close={close}>
      <Form problems={action.problem?.fields} keeps={false} submit={submit}>
        <p className="soft">{t('vexDocument.add.lead')}</p>
        <FileField label={t('vexDocument.file')} accept=".json,.jsonld" wrong={wrong} />
        <TextArea
          name="signature"
          label={t('vexDocument.signature')}
          hint={t('vexDocument.signature.hint')}
          maxLength={8192}
          rows={2}
        />
        <FormFooter state={action} verb={t('vexDocument.add.verb')} close={close} />
      </Form>
    </Dialog>
  );
}

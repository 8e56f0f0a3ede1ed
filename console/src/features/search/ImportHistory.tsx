import { useState } from 'react';
import {
  ImportSearchDocumentsDocument,
  type ImportSearchDocumentsMutation,
  type SearchImportRowFragment,
  type SearchImportState,
  SearchImportsDocument,
} from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { CloseFooter } from '../../ui/DialogFooter.tsx';
import { FileField } from '../../ui/FileField.tsx';
import { Form, Select, TextField } from '../../ui/Form.tsx';
import { FormFooter } from '../../ui/FormFooter.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

/** Outcome of an import; one that could not read every document is no success. */
type ImportResult = SearchImportState | 'PARTLY' | 'NOTHING';

const resultOf = ({ state, documents, refusedCount }: SearchImportRowFragment): ImportResult => {
  if (state !== 'COMPLETED' || refusedCount === 0) return state;
  return documents === 0 ? 'NOTHING' : 'PARTLY';
};

const LOOKS: Looks<ImportResult> = {
  RUNNING: 'running',
  COMPLETED: 'verified',
  FAILED: 'failed',
  NOTHING: 'failed',
  PARTLY: 'unverified',
};

type ImportsProps = { readonly ask: boolean; readonly open: () => void; readonly close: () => void };

/** Latest imports, and the action that imports a file. */
export function ImportHistory({ ask, open, close }: ImportsProps) {
  const imports = useLiveQuery(SearchImportsDocument, {}, ['SearchImport']);
  return (
    <ListSection
      title={t('imports.title')}
      side={
        <Button size="small" onClick={open}>
          {t('imports.verb')}
        </Button>
      }
      of={imports}
      rows={({ searchImports }) => searchImports}
      rowId={({ importId }) => importId}
      fault={t('imports.fault')}
      empty={t('search.empty')}
      skeleton={3}
      columns={columns()}
      labelled
    >
      {ask && <ImportFile done={imports.refetch} close={close} />}
    </ListSection>
  );
}

const columns = (): Column<SearchImportRowFragment>[] => [
  { name: t('corpora.source'), cell: ({ source }) => source },
  {
    name: t('alerts.state'),
    cell: (one) => (
      <>
        <StateLabel look={LOOKS[resultOf(one)]}>{t(`imports.state.${resultOf(one)}`)}</StateLabel>
        {one.error !== null && <span className="small problem"> {one.error}</span>}
      </>
    ),
  },
  { name: t('corpora.documents'), number: true, cell: ({ documents }) => count(documents) },
  { name: t('imports.refused'), number: true, cell: ({ refusedCount }) => count(refusedCount) },
  { name: t('imports.removed'), number: true, cell: ({ removed }) => count(removed) },
  { name: t('imports.started'), cell: ({ startedAt }) => <RelativeTime at={startedAt} as="relative" /> },
];

const FORMATS = [
  'osv',
  'openvex',
  'csaf',
  'kev',
  'cyclonedx',
  'spdx',
  'kyverno',
  'gatekeeper',
  'rego',
  'rustsec',
  'nodejs',
] as const;

/** Largest import of one request in characters; `landfall search import` takes larger files. */
const MAX_CHARACTERS = 900_000;

type Imported = ImportSearchDocumentsMutation['importSearchDocuments'];

/** Imports a file of advisories, read in the browser; unreadable entries are reported by line. */
function ImportFile({ done: onDone, close }: { readonly done: () => void; readonly close: () => void }) {
  const verb = useAction(ImportSearchDocumentsDocument);
  const [wrong, setWrong] = useState<string>();
  const [imported, setImported] = useState<Imported>();
  const submit = async (data: FormData) => {
    const file = data.get('file');
    if (!(file instanceof File) || file.size === 0) return setWrong(t('imports.file.none'));
    const content = await file.text();
    if (content.length > MAX_CHARACTERS) return setWrong(t('imports.file.large'));
    setWrong(undefined);
    const text = (name: string) => String(data.get(name) ?? '').trim() || null;
    const result = await verb.run({ fileName: file.name, content, format: text('format'), source: text('source') });
    if (result === undefined) return;
    setImported(result.importSearchDocuments);
    onDone();
  };
  return (
    <Dialog title={t('imports.dialog')} close={close} wide light>
      {imported === undefined ? (
        <Form problems={verb.problem?.fields} keeps={false} submit={submit}>
          <p className="soft">{t('imports.lead')}</p>
          <FileField label={t('imports.file')} accept=".json,.jsonl,.ndjson,.yaml,.yml,.rego,.csv" wrong={wrong} />
          <Select
            name="format"
            label={t('imports.format')}
            options={[
              { value: '', label: t('imports.format.auto') },
              ...FORMATS.map((value) => ({ value, label: value })),
            ]}
          />
          <TextField name="source" label={t('corpora.source')} hint={t('imports.source.hint')} />
          <FormFooter state={verb} verb={t('imports.run')} close={close} />
        </Form>
      ) : (
        <ImportReport imported={imported} close={close} />
      )}
    </Dialog>
  );
}

function ImportReport({ imported, close }: { readonly imported: Imported; readonly close: () => void }) {
  return (
    <div className="stack">
      <p role="status">{t('imports.done', { n: imported.documents, refused: imported.refusedCount })}</p>
      {imported.refused.length > 0 && (
        <DataTable
          label={t('imports.refused')}
          rows={imported.refused}
          rowId={({ file, line, reason }) => `${file} ${line} ${reason}`}
          columns={[
            {
              name: t('imports.line'),
              cell: ({ file, line }) => (line === null ? file : t('imports.at', { file, line })),
            },
            { name: t('imports.reason'), className: 'breaks', cell: ({ reason }) => reason },
          ]}
        />
      )}
      <CloseFooter label={t('imports.close')} close={close} />
    </div>
  );
}

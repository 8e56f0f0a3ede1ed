import { useId, useState } from 'react';
import {
  ImportSearchDocumentsDocument,
  type ImportSearchDocumentsMutation,
  type SearchImportRowFragment,
  type SearchImportState,
  SearchImportsDocument,
} from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { Form, Select, TextField } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel, type StateStyle } from '../../ui/StateLabel.tsx';
import { Table } from '../../ui/Table.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { t } from './labels.ts';

/** How an import ended; one that could not read all is no success. */
type Ending = SearchImportState | 'PARTLY' | 'NOTHING';

const endingOf = ({ state, documents, refusedCount }: SearchImportRowFragment): Ending => {
  if (state !== 'COMPLETED' || refusedCount === 0) return state;
  return documents === 0 ? 'NOTHING' : 'PARTLY';
};

const LOOKS: Readonly<Record<Ending, StateStyle>> = {
  RUNNING: { shape: 'running', tone: 'running' },
  COMPLETED: { shape: 'verified', tone: 'good' },
  FAILED: { shape: 'failed', tone: 'bad' },
  NOTHING: { shape: 'failed', tone: 'bad' },
  PARTLY: { shape: 'unverified', tone: 'attention' },
};

/** What was imported of late, and the way to import more. */
export function Imports({
  ask,
  open,
  close,
}: {
  readonly ask: boolean;
  readonly open: () => void;
  readonly close: () => void;
}) {
  const imports = useLiveQuery(SearchImportsDocument, {}, ['SearchImport']);
  return (
    <Section
      title={t('imports.title')}
      side={
        <Button size="small" onClick={open}>
          {t('imports.verb')}
        </Button>
      }
    >
      <QueryResult of={imports} skeleton={<SkeletonRows rows={3} />} fault={t('imports.fault')}>
        {({ searchImports }) =>
          searchImports.length === 0 ? (
            <EmptyState>{t('search.never')}</EmptyState>
          ) : (
            <Table
              label={t('imports.title')}
              list
              labelled
              head={[
                { name: t('corpora.source') },
                { name: t('alerts.state') },
                { name: t('corpora.documents'), number: true },
                { name: t('imports.refused'), number: true },
                { name: t('imports.removed'), number: true },
                { name: t('imports.started') },
              ]}
            >
              {searchImports.map((one) => (
                <Row key={one.importId} one={one} />
              ))}
            </Table>
          )
        }
      </QueryResult>
      {ask && <ImportFile done={imports.refetch} close={close} />}
    </Section>
  );
}

function Row({ one }: { readonly one: SearchImportRowFragment }) {
  return (
    <tr>
      <th scope="row">{one.source}</th>
      <td data-label={t('alerts.state')}>
        <StateLabel {...LOOKS[endingOf(one)]}>{t(`imports.state.${endingOf(one)}`)}</StateLabel>
        {one.error !== null && <span className="small problem"> {one.error}</span>}
      </td>
      <td className="num" data-label={t('corpora.documents')}>
        {count(one.documents)}
      </td>
      <td className="num" data-label={t('imports.refused')}>
        {count(one.refusedCount)}
      </td>
      <td className="num" data-label={t('imports.removed')}>
        {count(one.removed)}
      </td>
      <td data-label={t('imports.started')}>
        <RelativeTime at={one.startedAt} as="relative" />
      </td>
    </tr>
  );
}

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

/** As much as one request takes; larger files go through the command. */
const MOST_CHARACTERS = 900_000;

type Imported = ImportSearchDocumentsMutation['importSearchDocuments'];

/** Reads a file of advisories in the browser and imports it; what of it could not be read is told by line. */
function ImportFile({ done, close }: { readonly done: () => void; readonly close: () => void }) {
  const verb = useAction(ImportSearchDocumentsDocument);
  const [wrong, setWrong] = useState<string>();
  const [imported, setImported] = useState<Imported>();
  const submit = async (data: FormData) => {
    const file = data.get('file');
    if (!(file instanceof File) || file.size === 0) return setWrong(t('imports.file.none'));
    const content = await file.text();
    if (content.length > MOST_CHARACTERS) return setWrong(t('imports.file.large'));
    setWrong(undefined);
    const text = (name: string) => String(data.get(name) ?? '').trim() || null;
    const result = await verb.run({ fileName: file.name, content, format: text('format'), source: text('source') });
    if (result === undefined) return;
    setImported(result.importSearchDocuments);
    done();
  };
  return (
    <Dialog title={t('imports.dialog')} close={close} wide light>
      {imported === undefined ? (
        <Form problems={verb.problem?.fields} keeps={false} submit={submit}>
          <p className="soft">{t('imports.lead')}</p>
          <FileField wrong={wrong} />
          <Select
            name="format"
            label={t('imports.format')}
            options={[
              { value: '', label: t('imports.format.auto') },
              ...FORMATS.map((value) => ({ value, label: value })),
            ]}
          />
          <TextField name="source" label={t('corpora.source')} hint={t('imports.source.hint')} />
          <FormFoot act={verb} verb={t('imports.run')} close={close} />
        </Form>
      ) : (
        <Told imported={imported} close={close} />
      )}
    </Dialog>
  );
}

function FileField({ wrong }: { readonly wrong: string | undefined }) {
  const id = useId();
  return (
    <div className="stack" style={{ gap: 4 }}>
      <label htmlFor={id}>{t('imports.file')}</label>
      <input
        id={id}
        type="file"
        name="file"
        accept=".json,.jsonl,.ndjson,.yaml,.yml,.rego,.csv"
        aria-invalid={wrong !== undefined || undefined}
        {...(wrong === undefined ? {} : { 'aria-describedby': `${id}-wrong` })}
      />
      <p id={`${id}-wrong`} className="small problem" role="alert">
        {wrong}
      </p>
    </div>
  );
}

/** What became of the file. */
function Told({ imported, close }: { readonly imported: Imported; readonly close: () => void }) {
  return (
    <div className="stack">
      <p role="status">{t('imports.done', { n: imported.documents, refused: imported.refusedCount })}</p>
      {imported.refused.length > 0 && (
        <Table label={t('imports.refused')} list head={[{ name: t('imports.line') }, { name: t('imports.reason') }]}>
          {imported.refused.map(({ file, line, reason }) => (
            <tr key={`${file} ${line} ${reason}`}>
              <th scope="row">{line === null ? file : t('imports.at', { file, line })}</th>
              <td className="breaks">{reason}</td>
            </tr>
          ))}
        </Table>
      )}
      <DialogFoot>
        <Button weight="primary" onClick={close}>
          {t('imports.close')}
        </Button>
      </DialogFoot>
    </div>
  );
}

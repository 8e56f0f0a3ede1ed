import { useState } from 'react';
import {
  type AdvisoryMirrorKind,
  type AdvisoryMirrorState,
  AdvisoryMirrorsDocument,
  ImportAdvisoryMirrorDocument,
  type MirrorRowFragment,
} from '../../generated/operations.ts';
import { maySeal } from '../../lib/airgap-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { session } from '../../lib/session.ts';
import { useOpenRefetch } from '../../lib/use-open-refetch.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Select, TextField } from '../../ui/Form.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { field, t } from './labels.ts';
import { nextStep } from './next-step.ts';

const LOOKS: Looks<AdvisoryMirrorState> = {
  QUEUED: 'running',
  IMPORTED: 'running',
  COMPLETE: 'verified',
  FAILED: 'failed',
};

type MirrorsProps = { readonly isAsked: boolean; readonly request: () => void; readonly close: () => void };

/** Mirrors of advisory sources with their newest imports. */
export function Mirrors({ isAsked, request, close }: MirrorsProps) {
  const answer = useLiveQuery(AdvisoryMirrorsDocument, {}, ['MirrorSource']);
  const rows = answer.data?.advisoryMirrors ?? [];
  useOpenRefetch(
    rows.some(({ state }) => state === 'QUEUED' || state === 'IMPORTED'),
    answer.refetch,
  );
  return (
    <>
      <ListSection
        title={t('mirrors.title')}
        bare
        of={answer}
        rows={({ advisoryMirrors }) => advisoryMirrors}
        rowId={({ sourceId }) => sourceId}
        fault={t('mirrors.fault')}
        empty={t('mirrors.empty', { folder: `mirror/${session().tenant}` })}
        verb={
          maySeal() && (
            <Button size="small" onClick={request}>
              {t('mirror.import')}
            </Button>
          )
        }
        columns={columns()}
        labelled
      />
      {isAsked && maySeal() && <ImportMirror close={close} />}
    </>
  );
}

const columns = (): Column<MirrorRowFragment>[] => [
  { name: t('mirror.source'), className: 'breaks', cell: ({ sourceId }) => sourceId },
  { name: t('mirror.kind'), cell: ({ kind }) => t(`mirror.kind.${kind}`) },
  { name: t('mirror.folder'), className: 'breaks', cell: ({ folder }) => folder },
  { name: t('kitImport.state'), className: 'breaks', cell: (row) => <State of={row} /> },
  { name: t('mirror.sequence'), number: true, cell: ({ sequence }) => count(sequence) },
  { name: t('mirror.records'), number: true, cell: ({ records }) => count(records) },
  { name: t('mirror.rejected'), number: true, cell: ({ rejected }) => count(rejected) },
  {
    name: t('mirror.finished'),
    cell: ({ finishedAt }) => optional(finishedAt, t('kitImport.open'), (at) => <Time at={at} />),
  },
];

function State({ of: { state, errorCode, errorMessage } }: { readonly of: MirrorRowFragment }) {
  return (
    <span>
      <StateLabel look={LOOKS[state]}>{t(`mirror.state.${state}`)}</StateLabel>
      {errorMessage !== null && (
        <span className="soft">
          {' '}
          {errorMessage} {nextStep(errorCode)} <span className="code small">{errorCode}</span>
        </span>
      )}
    </span>
  );
}

const KINDS = ['FEEDS', 'VEX'] as const satisfies AdvisoryMirrorKind[];

/** Dialog that queues the import of a mirror which was copied to the server. */
function ImportMirror({ close }: { readonly close: () => void }) {
  const [kind, choose] = useState<AdvisoryMirrorKind>('FEEDS');
  return (
    <FormDialog
      document={ImportAdvisoryMirrorDocument}
      input={(fields) => {
        fields.need('sourceId');
        if (kind === 'VEX') fields.need('vexSource');
        return {
          sourceId: fields.text('sourceId'),
          folder: fields.maybe('folder'),
          kind,
          vexSource: kind === 'VEX' ? fields.text('vexSource') : null,
        };
      }}
      done={t('mirror.import.done')}
      refetch={[AdvisoryMirrorsDocument]}
      title={t('mirror.import')}
      verb={t('mirror.import.verb')}
      close={close}
    >
      <p className="soft">{t('mirror.import.lead', { folder: `mirror/${session().tenant}` })}</p>
      <TextField {...field('sourceId', 'mirror.source')} maxLength={64} autoFocus />
      <TextField {...field('folder', 'mirror.folder')} maxLength={64} />
      <Select
        name="kind"
        label={t('mirror.kind')}
        value={kind}
        onValue={(value) => choose(KINDS.find((one) => one === value) ?? kind)}
        options={KINDS.map((value) => ({ value, label: t(`mirror.kind.${value}`) }))}
      />
      {kind === 'VEX' && <TextField {...field('vexSource', 'mirror.vexSource')} maxLength={64} />}
    </FormDialog>
  );
}

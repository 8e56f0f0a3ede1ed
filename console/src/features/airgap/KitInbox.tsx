import { useState } from 'react';
import {
  ImportOfflineKitDocument,
  type InboxKitRowFragment,
  KitImportsDocument,
  KitInboxDocument,
} from '../../generated/operations.ts';
import { maySeal } from '../../lib/airgap-permissions.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { session } from '../../lib/session.ts';
import { sizeText } from '../../lib/size-text.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { Button, RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { TextField } from '../../ui/Form.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Expiry } from './ActiveKits.tsx';
import { field, t } from './labels.ts';
import { nextStep } from './next-step.ts';

type Asked = { readonly kit: InboxKitRowFragment; readonly isDryRun: boolean };

/** Kits that were copied to the server and wait: each is tried first, and then imported. */
export function KitInbox() {
  const answer = useLiveQuery(KitInboxDocument, {}, ['KitImport']);
  const [asked, ask] = useState<Asked>();
  return (
    <>
      <ListSection
        title={t('kitInbox.title')}
        side={
          <Button size="small" onClick={answer.refetch}>
            {t('kitInbox.look')}
          </Button>
        }
        bare
        of={answer}
        rows={({ offlineKitInbox }) => offlineKitInbox}
        rowId={({ folder }) => folder}
        fault={t('kitInbox.fault')}
        empty={t('kitInbox.empty', { folder: `kits/inbox/${session().tenant}` })}
        columns={columns(ask)}
        labelled
      />
      {asked !== undefined && <ImportKit {...asked} close={() => ask(undefined)} />}
    </>
  );
}

const columns = (ask: (asked: Asked) => void): Column<InboxKitRowFragment>[] => [
  { name: t('kitInbox.folder'), className: 'breaks', cell: ({ folder }) => folder },
  {
    name: t('kitInbox.kit'),
    className: 'breaks',
    cell: ({ problem, kind, channel, sequence }) =>
      problem === null ? (
        `${kind === null ? '' : t(`kit.kind.${kind}`)}, ${channel ?? ''} ${sequence ?? ''}`
      ) : (
        <StateLabel look="failed" wrap>
          {t('kitInbox.problem', { problem })}
        </StateLabel>
      ),
  },
  { name: t('kitInbox.parts'), number: true, cell: ({ parts }) => optional(parts, t('age.none'), count) },
  { name: t('kitInbox.size'), number: true, cell: ({ size }) => optional(size, t('age.none'), sizeText) },
  { name: t('kit.expires'), cell: ({ expiresAt }) => optional(expiresAt, t('age.none'), (at) => <Expiry at={at} />) },
  ...(maySeal()
    ? [
        actionsColumn<InboxKitRowFragment>((kit) =>
          kit.problem === null ? (
            <span className="row" style={{ flexWrap: 'wrap', justifyContent: 'flex-end' }}>
              <RowButton
                label={t('kitInbox.dryRun.label', { name: kit.folder })}
                press={() => ask({ kit, isDryRun: true })}
              >
                {t('kitInbox.dryRun')}
              </RowButton>
              <RowButton
                label={t('kitInbox.import.label', { name: kit.folder })}
                press={() => ask({ kit, isDryRun: false })}
              >
                {t('kitInbox.import')}
              </RowButton>
            </span>
          ) : null,
        ),
      ]
    : []),
];

type ImportKitProps = Asked & { readonly close: () => void };

/** Dialog that queues the import of a kit, or its dry run. A kit that must be refused is refused at once. */
function ImportKit({ kit: { folder, kind }, isDryRun, close }: ImportKitProps) {
  const evaluatesGate = isDryRun && kind === 'FEEDS';
  const verb = t(isDryRun ? 'kitInbox.dryRun' : 'kitInbox.import');
  return (
    <FormDialog
      document={ImportOfflineKitDocument}
      input={(fields) => ({
        ...{ folder, isDryRun },
        registry: kind === 'RELEASE' ? fields.maybe('registry') : null,
        failOn: evaluatesGate ? fields.maybe('failOn') : null,
      })}
      done={t(isDryRun ? 'kitInbox.dryRun.done' : 'kitInbox.import.done', { name: folder })}
      refetch={[KitImportsDocument]}
      title={t(isDryRun ? 'kitInbox.dryRun.title' : 'kitInbox.import.title', { name: folder })}
      verb={verb}
      advice={({ code }) => nextStep(code)}
      close={close}
    >
      <p className="soft">{t(isDryRun ? 'kitInbox.dryRun.lead' : 'kitInbox.import.lead')}</p>
      {evaluatesGate && <TextField {...field('failOn', 'kitInbox.dryRun.failOn')} maxLength={200} />}
      {kind === 'RELEASE' && <TextField {...field('registry', 'kitInbox.registry')} maxLength={255} />}
    </FormDialog>
  );
}

import {
  AddSyncSiteDocument,
  ExportSyncBundleDocument,
  ImportSyncBundleDocument,
  SyncConflictsDocument,
  SyncDocument,
  SyncJobsDocument,
} from '../../generated/operations.ts';
import { session } from '../../lib/session.ts';
import { ConfirmAction, FormDialog } from '../../parts/dialogs.tsx';
import { TextArea, TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';

type SyncDialogsProps = { readonly ask: 'export' | 'import' | 'site'; readonly close: () => void };

const REFETCHED = [SyncDocument, SyncJobsDocument, SyncConflictsDocument];

/** Dialogs of the page of sites: a bundle goes out, a bundle comes in, a site is admitted. */
export function SyncDialogs({ ask, close }: SyncDialogsProps) {
  if (ask === 'export')
    return (
      <ConfirmAction
        document={ExportSyncBundleDocument}
        input={{}}
        title={t('sync.export.title')}
        lead={t('sync.export.lead', { folder: `sync/outbox/${session().tenant}` })}
        verb={t('sync.export')}
        done={({ exportSyncBundle: { file, entries } }) => t('sync.export.done', { file, n: entries })}
        refetch={REFETCHED}
        close={close}
      />
    );
  return ask === 'import' ? <ImportBundle close={close} /> : <AddSite close={close} />;
}

const ImportBundle = ({ close }: Pick<SyncDialogsProps, 'close'>) => (
  <FormDialog
    document={ImportSyncBundleDocument}
    input={(fields) => {
      fields.need('file');
      return { file: fields.text('file') };
    }}
    done={({ importSyncBundle: { isNew, entries, conflicts, refused } }) =>
      isNew ? t('sync.import.done', { n: entries, conflicts, refused }) : t('sync.import.known')
    }
    refetch={REFETCHED}
    title={t('sync.import')}
    verb={t('sync.import')}
    close={close}
  >
    <p className="soft">{t('sync.import.lead', { folder: `sync/inbox/${session().tenant}` })}</p>
    <TextField {...field('file', 'sync.file')} maxLength={200} autoFocus />
  </FormDialog>
);

const AddSite = ({ close }: Pick<SyncDialogsProps, 'close'>) => (
  <FormDialog
    document={AddSyncSiteDocument}
    input={(fields) => {
      for (const name of ['siteId', 'name', 'siteKey']) fields.need(name);
      return { siteId: fields.text('siteId'), name: fields.text('name'), siteKey: fields.text('siteKey') };
    }}
    done={({ addSyncSite: { name } }) => t('sync.addSite.done', { name })}
    refetch={[SyncDocument]}
    title={t('sync.addSite')}
    verb={t('sync.addSite')}
    close={close}
  >
    <p className="soft">{t('sync.addSite.lead')}</p>
    <TextField {...field('siteId', 'sync.site.id')} maxLength={36} autoFocus />
    <TextField {...field('name', 'sync.site.name')} maxLength={100} />
    <TextArea {...field('siteKey', 'sync.site.publicKey')} maxLength={8192} rows={4} code />
  </FormDialog>
);

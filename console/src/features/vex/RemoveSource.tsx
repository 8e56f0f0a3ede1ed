import { RemoveVexSourceDocument, type VexSourceRowFragment, VexSourcesDocument } from '../../generated/operations.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { t } from './labels.ts';

type RemoveSourceProps = {
  readonly source: VexSourceRowFragment;
  readonly close: () => void;
  /** Replaces closing the dialog once the source is removed. */
  readonly removed?: () => void;
};

/** Dialog that takes the documents of a source out of force. */
export const RemoveSource = ({ source: { id, name, totals }, close, removed }: RemoveSourceProps) => (
  <ConfirmAction
    document={RemoveVexSourceDocument}
    input={{ id }}
    title={t('vexSource.remove.title', { name })}
    lead={t('vexSource.remove.lead', { n: totals.documentCount })}
    verb={t('vexSource.remove.verb')}
    done={t('vexSource.removed', { name })}
    {...(removed ? { onDone: removed } : { refetch: [VexSourcesDocument] })}
    close={close}
  />
);

import {
  ArtifactDetailDocument,
  DeleteArtifactDocument,
  PlaceEvidenceHoldDocument,
  RetainArtifactDocument,
} from '../../generated/operations.ts';
import { mayDispose, mayHold } from '../../lib/evidence-permissions.ts';
import { aboutLabel } from '../../parts/Artifacts.tsx';
import { FormDialog, ReasonDialog } from '../../parts/dialogs.tsx';
import { TextArea, TextField } from '../../ui/Form.tsx';
import type { Artifact } from './ArtifactPage.tsx';
import { isHeld } from './Holds.tsx';
import { field, keepersText, t } from './labels.ts';

type ArtifactDialogsProps = {
  readonly ask: 'hold' | 'retain' | 'delete';
  readonly artifact: Artifact;
  readonly close: () => void;
  readonly deleted: () => void;
};

/** Dialogs of an artifact's page: a legal hold, a longer retention, and its deletion. */
export function ArtifactDialogs({ ask, artifact, close, deleted }: ArtifactDialogsProps) {
  if (ask === 'hold') return mayHold() ? <PlaceHold id={artifact.id} close={close} /> : null;
  if (ask === 'retain') return mayHold() ? <Retain artifact={artifact} close={close} /> : null;
  return mayDispose() ? <Delete artifact={artifact} close={close} deleted={deleted} /> : null;
}

const PlaceHold = ({ id, close }: { readonly id: string; readonly close: () => void }) => (
  <ReasonDialog
    document={PlaceEvidenceHoldDocument}
    input={(reason) => ({ artifactId: id, reason })}
    done={t('hold.place.done')}
    refetch={[ArtifactDetailDocument]}
    title={t('hold.place')}
    verb={t('hold.place')}
    close={close}
  >
    <p className="soft">{t('hold.place.lead')}</p>
  </ReasonDialog>
);

type DialogProps = { readonly artifact: Artifact; readonly close: () => void };

/** Dialog that postpones the end of a retention. The date is a day in UTC, whose end counts. */
const Retain = ({ artifact: { id, retainUntil }, close }: DialogProps) => (
  <FormDialog
    document={RetainArtifactDocument}
    input={(fields) => {
      fields.need('until');
      fields.need('reason', t('reason.missing'));
      const until = new Date(`${fields.text('until')}Z`);
      if (Number.isNaN(until.getTime())) {
        fields.wrong.push({ field: 'until', message: t('artifact.retain.until.wrong'), code: '' });
        return undefined;
      }
      return { id, until: until.toISOString(), reason: fields.text('reason') };
    }}
    done={t('artifact.retain.done')}
    refetch={[ArtifactDetailDocument]}
    title={t('artifact.retain')}
    verb={t('artifact.retain.verb')}
    close={close}
  >
    <p className="soft">{t('artifact.retain.lead')}</p>
    <TextField
      {...field('until', 'artifact.retain.until')}
      type="datetime-local"
      defaultValue={retainUntil?.slice(0, 16) ?? ''}
      required
      autoFocus
    />
    <TextArea name="reason" label={t('reason')} hint={t('field.audited')} maxLength={1000} required />
  </FormDialog>
);

/** Dialog that deletes: it says before what keeps the artifact, and does not send what a hold would refuse. */
const Delete = ({ artifact, close, deleted }: DialogProps & { readonly deleted: () => void }) => (
  <ReasonDialog
    document={DeleteArtifactDocument}
    input={(reason) => ({ id: artifact.id, reason })}
    done={t('artifact.delete.done', { name: aboutLabel(artifact) })}
    onDone={deleted}
    title={t('artifact.delete.title')}
    verb={t('artifact.delete.verb')}
    off={isHeld(artifact) && t('artifact.delete.held')}
    close={close}
  >
    {!isHeld(artifact) && <DeletionEffect of={artifact} />}
  </ReasonDialog>
);

const DeletionEffect = ({ of: { retention, bundles } }: { readonly of: Artifact }) => (
  <>
    <p className="soft">{t('artifact.delete.lead')}</p>
    {retention && retention.keptBy.length > 0 && (
      <p className="soft">{t('retention.after.kept', { by: keepersText(retention.keptBy) })}</p>
    )}
    {bundles && bundles.totalCount > 0 && (
      <p className="soft">{t('artifact.delete.bundles', { n: bundles.totalCount })}</p>
    )}
  </>
);

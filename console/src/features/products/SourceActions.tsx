import { useState } from 'react';
import {
  PollReleaseSourceDocument,
  ProductSourcesDocument,
  RemoveReleaseSourceDocument,
  type SourceRowFragment,
  UpdateReleaseSourceDocument,
} from '../../generated/operations.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { RowAction } from '../../parts/RowAction.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { RowButton } from '../../ui/Button.tsx';
import styles from './Products.module.css';
import { EditSource } from './SourceForm.tsx';
import { RemoveWebhook, SetWebhook } from './SourceWebhook.tsx';
import { t } from './source-labels.ts';

type SourceProps = { readonly source: SourceRowFragment };

/** Actions of a source that the user may take. */
export function SourceActions({ source }: SourceProps) {
  const { id, component, version, isEnabled, viewerCanUpdate, viewerCanRemove, viewerCanPoll } = source;
  const poll = useAction(PollReleaseSourceDocument);
  const [editing, edit] = useState(false);
  return (
    <>
      <span className={styles.actions}>
        {viewerCanPoll.allowed && (
          <RowButton label={t('source.poll.name', { component })} busy={poll.busy} press={() => void poll.run({ id })}>
            {t('source.poll')}
          </RowButton>
        )}
        {viewerCanUpdate.allowed && (
          <>
            <RowButton label={t('source.edit.name', { component })} press={() => edit(true)}>
              {t('source.edit')}
            </RowButton>
            <SetWebhook source={source} />
            {source.hasWebhook && <RemoveWebhook source={source} />}
            {isEnabled ? <DisableSource source={source} /> : <EnableSource source={source} />}
          </>
        )}
        {viewerCanRemove.allowed && (
          <RowAction
            label={t('source.remove.name', { component })}
            document={RemoveReleaseSourceDocument}
            input={{ id, expectedVersion: version }}
            title={t('source.remove.title', { component })}
            lead={t('source.remove.lead')}
            verb={t('source.remove.verb')}
            done={t('source.removed', { component })}
            refetch={[ProductSourcesDocument]}
          >
            {t('source.remove')}
          </RowAction>
        )}
      </span>
      <ActionError problem={poll.problem} />
      {editing && <EditSource source={source} close={() => edit(false)} />}
    </>
  );
}

function DisableSource({ source: { id, component, version } }: SourceProps) {
  return (
    <RowAction
      label={t('source.disable.name', { component })}
      document={UpdateReleaseSourceDocument}
      input={{ id, expectedVersion: version, isEnabled: false }}
      title={t('source.disable.title', { component })}
      lead={t('source.disable.lead')}
      verb={t('source.disable.verb')}
      done={t('source.disabled', { component })}
    >
      {t('source.disable')}
    </RowAction>
  );
}

function EnableSource({ source: { id, component, version } }: SourceProps) {
  const enable = useAction(UpdateReleaseSourceDocument);
  return (
    <>
      <RowButton
        label={t('source.enable.name', { component })}
        busy={enable.busy}
        press={() => void enable.run({ id, expectedVersion: version, isEnabled: true })}
      >
        {t('source.enable')}
      </RowButton>
      <ActionError problem={enable.problem} />
    </>
  );
}

import { RemoveTargetDocument, type TargetWholeFragment } from '../../generated/operations.ts';
import { currentLocale } from '../../lib/i18n.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { t } from './labels.ts';

type RemoveTargetProps = {
  readonly target: TargetWholeFragment;
  readonly close: () => void;
  readonly removed: () => void;
};

/** Removes a target for good. Processes there go on running, and are observed no more. */
export function RemoveTarget(props: RemoveTargetProps) {
  const {
    target: { id, name, version, environment, observations },
    close,
    removed,
  } = props;
  const running = observations.filter((one) => one.running).map(({ component }) => component);
  return (
    <ConfirmAction
      document={RemoveTargetDocument}
      input={{ id, expectedVersion: version }}
      title={t('target.remove.title', { name, where: environment.name })}
      lead={t('target.remove.lead')}
      verb={t('target.remove.verb')}
      done={t('target.removed', { name })}
      onDone={() => {
        close();
        removed();
      }}
      close={close}
    >
      {running.length > 0 && (
        <p>{t('target.remove.runs', { names: new Intl.ListFormat(currentLocale()).format(running) })}</p>
      )}
    </ConfirmAction>
  );
}

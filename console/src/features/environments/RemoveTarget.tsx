import { RemoveTargetDocument, type TargetWholeFragment } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import { currentLocale } from '../../lib/i18n.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

/** Takes a target out of the estate for good. What runs there goes on, and nobody looks at it any more. */
export function RemoveTarget({
  target: { id, name, version, environment, observations },
  close,
  removed,
}: {
  readonly target: TargetWholeFragment;
  readonly close: () => void;
  readonly removed: () => void;
}) {
  const verb = useAction(RemoveTargetDocument);
  const running = observations.filter((one) => one.running).map(({ component }) => component);
  const remove = async () => {
    if ((await verb.run({ id, expectedVersion: version })) === undefined) return;
    toast(t('target.removed', { name }));
    close();
    removed();
  };
  return (
    <ConfirmDialog
      title={t('target.remove.title', { name, where: environment.name })}
      lead={t('target.remove.lead')}
      verb={t('target.remove.verb')}
      act={verb}
      run={remove}
      close={close}
    >
      {running.length > 0 && (
        <p>{t('target.remove.runs', { names: new Intl.ListFormat(currentLocale()).format(running) })}</p>
      )}
    </ConfirmDialog>
  );
}

import { RemoveTargetDocument, type TargetWholeFragment } from '../../generated/operations.ts';
import { useVerb } from '../../lib/graph.ts';
import { currentLocale } from '../../lib/i18n.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './words.ts';

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
  const verb = useVerb(RemoveTargetDocument);
  const running = observations.filter((one) => one.running).map(({ component }) => component);
  const remove = async () => {
    if ((await verb.run({ id, expectedVersion: version })) === undefined) return;
    toast(t('target.removed', { name }));
    close();
    removed();
  };
  return (
    <Dialog title={t('target.remove.title', { name, where: environment.name })} close={close}>
      <div className="stack">
        <p className="soft">{t('target.remove.lead')}</p>
        {running.length > 0 && (
          <p>{t('target.remove.runs', { names: new Intl.ListFormat(currentLocale()).format(running) })}</p>
        )}
        <Refusal problem={verb.problem} />
        <DialogFoot>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button weight="primary" busy={verb.busy} onClick={() => void remove()}>
            {t('target.remove.verb')}
          </Button>
        </DialogFoot>
      </div>
    </Dialog>
  );
}

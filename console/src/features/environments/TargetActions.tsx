import {
  DisableTargetDocument,
  EnableTargetDocument,
  RefreshTargetDocument,
  type TargetDetailFragment,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { hasScope } from '../../lib/session.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { ForbiddenAction, type Permission } from '../../ui/Forbidden.tsx';
import { PanelPart } from '../../ui/Panel.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';
import type { TargetDialog } from './TargetPanel.tsx';
import styles from './Targets.module.css';

type TargetAction = {
  readonly verb: 'check' | 'edit' | 'assign' | 'enable' | 'disable' | 'remove';
  readonly run: () => void;
};

type TargetActionsProps = {
  readonly target: TargetDetailFragment;
  readonly ask: (question: TargetDialog) => void;
};

export function TargetActions({ target, ask }: TargetActionsProps) {
  const { id, name, version, state, agent, viewerCanDisable, viewerCanRemove } = target;
  const refresh = useAction(RefreshTargetDocument);
  const disable = useAction(DisableTargetDocument);
  const enable = useAction(EnableTargetDocument);
  const verbs = [refresh, disable, enable];
  const busy = verbs.some((verb) => verb.busy);
  const administers = hasScope('orch:admin');
  const isOff = state === 'DISABLED';
  const check = async () => {
    if (await refresh.run({ id })) toast(t('target.checking', { name }));
  };
  const actions: readonly TargetAction[] = [
    ...(hasScope('orch:operate') && agent !== null ? [{ verb: 'check', run: () => void check() } as const] : []),
    ...(administers
      ? ([
          { verb: 'edit', run: () => ask('edit') },
          { verb: 'assign', run: () => ask('assign') },
          ...(isOff ? [{ verb: 'enable', run: () => void enable.run({ id, expectedVersion: version }) } as const] : []),
          ...(!isOff && viewerCanDisable.allowed
            ? [{ verb: 'disable', run: () => void disable.run({ id, expectedVersion: version }) } as const]
            : []),
          ...(viewerCanRemove.allowed ? [{ verb: 'remove', run: () => ask('remove') } as const] : []),
        ] as const)
      : []),
  ];
  useCommands(actions.map(({ verb, run }) => ({ id: `target.${verb}`, title: t(`target.${verb}`), run })));
  const rules: readonly (readonly [string, Permission])[] = [
    [t('target.disable.name'), isOff ? { allowed: true } : viewerCanDisable],
    [t('target.remove.name'), viewerCanRemove],
  ];
  return (
    <PanelPart title={t('target.actions')}>
      <div className={styles.verbs}>
        {actions.map(({ verb, run }) => (
          <Button key={verb} size="small" busy={busy} onClick={run}>
            {t(`target.${verb}`)}
          </Button>
        ))}
      </div>
      {administers ? (
        rules
          .filter(([, { allowed }]) => !allowed)
          .map(([verb, permission]) => (
            <ForbiddenAction key={verb} name={verb} scope="orch:admin" permission={permission} />
          ))
      ) : (
        <p className="small quiet">{t('forbidden.admin')}</p>
      )}
      <ActionError problem={verbs.find(({ problem }) => problem !== undefined)?.problem} />
    </PanelPart>
  );
}

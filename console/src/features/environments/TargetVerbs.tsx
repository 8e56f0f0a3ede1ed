import {
  DisableTargetDocument,
  EnableTargetDocument,
  RefreshTargetDocument,
  type TargetWholeFragment,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useVerb } from '../../lib/graph.ts';
import { may } from '../../lib/session.ts';
import { Refusal } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { ForbiddenVerb, type Permission } from '../../ui/Forbidden.tsx';
import { PanelPart } from '../../ui/Panel.tsx';
import { toast } from '../../ui/Toast.tsx';
import type { TargetQuestion } from './TargetPanel.tsx';
import styles from './Targets.module.css';
import { t } from './words.ts';

type Act = {
  readonly verb: 'look' | 'edit' | 'assign' | 'enable' | 'disable' | 'remove';
  readonly run: () => void;
};

/** What can be done with a target; where something cannot, the rule. */
export function TargetVerbs({
  target,
  ask,
}: {
  readonly target: TargetWholeFragment;
  readonly ask: (question: TargetQuestion) => void;
}) {
  const { id, name, version, state, agent, viewerCanDisable, viewerCanRemove } = target;
  const refresh = useVerb(RefreshTargetDocument);
  const disable = useVerb(DisableTargetDocument);
  const enable = useVerb(EnableTargetDocument);
  const verbs = [refresh, disable, enable];
  const busy = verbs.some((verb) => verb.busy);
  const administers = may('orch:admin');
  const isOff = state === 'DISABLED';
  const look = async () => {
    if (await refresh.run({ id })) toast(t('target.looking', { name }));
  };
  const acts: readonly Act[] = [
    ...(may('orch:operate') && agent !== null ? [{ verb: 'look', run: () => void look() } as const] : []),
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
  useCommands(acts.map(({ verb, run }) => ({ id: `target.${verb}`, group: 'act', title: t(`target.${verb}`), run })));
  const rules: readonly (readonly [string, Permission])[] = [
    [t('target.disable.name'), isOff ? { allowed: true } : viewerCanDisable],
    [t('target.remove.name'), viewerCanRemove],
  ];
  return (
    <PanelPart title={t('target.verbs')}>
      <div className={styles.verbs}>
        {acts.map(({ verb, run }) => (
          <Button key={verb} size="small" busy={busy} onClick={run}>
            {t(`target.${verb}`)}
          </Button>
        ))}
      </div>
      {administers ? (
        rules
          .filter(([, { allowed }]) => !allowed)
          .map(([verb, permission]) => (
            <ForbiddenVerb key={verb} name={verb} scope="orch:admin" permission={permission} />
          ))
      ) : (
        <p className="small quiet">{t('admin.rule')}</p>
      )}
      <Refusal problem={verbs.find(({ problem }) => problem !== undefined)?.problem} />
    </PanelPart>
  );
}

import type { Context } from '../../context.ts';
import { type Permission, permission } from '../../shared/permission.ts';
import { disableRefusal, removeRefusal } from './target-rules.ts';
import type { Target } from './targets.store.ts';

export const canDisable = (target: Target, { caller, loaders, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.targets.disable.spec, async () =>
    disableRefusal(target, (await loaders.usesOfTarget.load(target.id))[0]),
  );

export const canRemove = (target: Target, { caller, loaders, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.targets.remove.spec, async () =>
    removeRefusal((await loaders.usesOfTarget.load(target.id))[0]),
  );

import type { Context } from '../../context.ts';
import { type Permission, permission } from '../../shared/permission.ts';
import type { Deviation } from './accepted-deviations.store.ts';
import type { EstateComponent } from './estate.ts';
import { acceptRefusal, revokeRefusal } from './estate-rule.ts';

export const canAccept = (component: EstateComponent, { caller, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.estate.accept.spec, () => acceptRefusal(component));

export const canRevoke = (deviation: Deviation, { caller, orchestrator }: Context): Promise<Permission> =>
  permission(caller, orchestrator.estate.revoke.spec, () => revokeRefusal(deviation));

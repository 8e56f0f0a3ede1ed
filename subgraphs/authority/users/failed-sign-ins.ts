import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { auditActor, type ProtocolRequest } from '../protocol/protocol-request.ts';
import { userEvent } from './user-events.ts';
import * as users from './users.store.ts';

/**
 * Records a failed sign-in of a known person. Callers do not await it: a slower answer would reveal that the name
 * exists. Back-off bounds the number.
 */
export type RecordFailedSignIn = (
  tried: { readonly tenant: TenantId; readonly userId: users.UserId },
  method: 'password' | 'second-factor',
  request: Pick<ProtocolRequest, 'requestId' | 'address'>,
) => void;

export const createFailedSignInRecorder =
  ({ database, log }: Pick<Deps, 'database' | 'log'>): RecordFailedSignIn =>
  ({ tenant, userId }, method, { requestId, address }) => {
    database
      .write(tenant, async (tx) => {
        const user = await users.find(tx, tenant, userId);
        if (!user) return;
        await userEvent(tx, auditActor(tenant, userId, 'user', { requestId }), 'user.signInFailed', user, {
          method,
          address,
        });
      })
      .catch((error: unknown) => {
        log.error({ err: error, requestId }, 'the event of a refused sign-in could not be stored');
      });
  };

import type { TenantId } from '@landfall/kernel/core/ids';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { auditActor, type ProtocolRequest } from '../protocol/protocol-request.ts';
import * as users from './users.store.ts';

/** Whom somebody tried to sign in as. */
interface Tried {
  readonly tenant: TenantId;
  readonly userId: users.UserId;
}

/**
 * Writes down that somebody was not let in as a known person. Nobody waits for it: an answer that took longer for names
 * that exist would tell them. The back-off bounds how many there are, since a try that must wait is not looked at.
 */
export type RecordFailedSignIn = (
  tried: Tried,
  /** Which proof was wrong, or not enough. */
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
        await event(tx, auditActor(tenant, userId, 'user', { requestId }), 'user.signInFailed', {
          entity: 'User',
          id: userId,
          version: user.version,
          data: { method, address },
        });
      })
      .catch((error: unknown) => {
        log.error({ err: error, requestId }, 'a refused sign-in could not be written down');
      });
  };

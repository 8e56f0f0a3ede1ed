import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { NotificationEvent } from '../events/event.ts';
import { encodeValues } from '../rules/path.ts';
import type { Rule } from '../rules/rule.ts';

/** Key under which messages of an action are counted, as 64 hex digits; undefined for an action without a throttle. Each contact method has a count of its own. */
export const throttleKey = (
  event: NotificationEvent,
  rule: Rule,
  actionIndex: number,
  methodId?: string,
): string | undefined => {
  const throttle = rule.actions[actionIndex]?.throttle;
  return (
    throttle &&
    sha256Hex(
      JSON.stringify([
        'throttle',
        rule.id,
        actionIndex,
        encodeValues(event, throttle.key),
        ...(methodId ? [methodId] : []),
      ]),
    )
  );
};

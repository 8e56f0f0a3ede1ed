import type { NotificationEvent } from '../events/event.ts';
import { ADDRESS_SUPPRESSED } from '../platform/platform-events.ts';
import type { Rule } from '../rules/rule.ts';
import { actionsOf } from '../rules/rule-input.ts';

/** Id of the rule that tells people of their own addresses. It belongs to no tenant and is stored nowhere. */
const OWNER_RULE_ID = '00000000-0000-7000-8000-000000000001';

/** Action that tells the owner of an address what became of it, at their other addresses; none for other events. */
export const ownerActionsOf = ({ producer, kind, attributes }: NotificationEvent) => {
  const { ownerId } = attributes;
  if (producer !== 'platform' || kind !== ADDRESS_SUPPRESSED || ownerId === undefined) return [];
  const rule: Rule = {
    id: OWNER_RULE_ID,
    name: 'Own addresses',
    isEnabled: true,
    priority: 0,
    matchers: [],
    continues: true,
    actions: actionsOf([{ recipients: { userIds: [ownerId] }, templateKey: kind }]),
  };
  return [{ rule, actionIndex: 0 }];
};

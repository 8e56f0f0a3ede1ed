import type { Action } from '../rules/rule.ts';
import { userOf } from '../shared/user-reference.ts';

/** Channel, or people, whom an action tells, as a text by which they are counted. */
export const targetsOf = ({ channelId, recipients }: Action): string[] => {
  if (channelId !== undefined) return [`channel:${channelId}`];
  const { approvers = false, userIds = [], roles = [] } = recipients ?? {};
  return [
    ...(approvers ? ['approvers:'] : []),
    ...userIds.map((id) => `user:${id}`),
    ...roles.map((role) => `role:${role}`),
  ];
};

/** Id of the channel of a target; undefined for people. */
export const channelOf = (target: string): string | undefined =>
  target.startsWith('channel:') ? target.slice('channel:'.length) : undefined;

/** People of a target: those who may approve, the people with a role, or one person. */
export const peopleOf = (target: string) => {
  const [kind = '', name = ''] = [target.slice(0, target.indexOf(':')), target.slice(target.indexOf(':') + 1)];
  return {
    approvers: kind === 'approvers',
    role: kind === 'role' ? name : null,
    user: kind === 'user' ? userOf(name) : null,
  };
};
